import Glibc
import Support
import Testing

/// A folder in which a user without rights has prepared everything that root's commands may come by:
/// package roots, an engine's state, settings, themes, a scenario, programs and sockets.
///
/// Its programs leave a witness file with the user id that ran them.
final class HostilePlace: Sendable {
  private let folder: TestFolder
  /// A folder of root's that the place's symbolic links lead to.
  let victim: String
  private let listener: Int32

  init(victim: String) async throws {
    self.victim = victim
    folder = try TestFolder()
    #expect(unsafe chmod(folder.path, 0o755) == 0)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try makeWitnesses()
    for name in ["private", "tree"] { try makeRoot(name) }
    try TestFolder.write("a private root\n", to: path("private/.fettle-root"))
    for name in ["usr/bin/dpkg", "bin/sh"] { try program("tree/" + name, as: "tree-program") }
    try await makeState()
    try makeConfiguration()
    #expect(bindListener())
    let scenario = "name = \"theirs\"\nseed = 1\n[[package]]\nname = \"zoo\"\nversion = \"1\"\n"
    try TestFolder.write(scenario, to: path("scenario.toml"))
    for name in ["tmp", "lib", "terminfo", "locale", "empty", "discard/kept"] {
      try TestFolder.makeFolder(path(name))
    }
    try link("discard/link", to: victim)
    #expect(unsafe mkfifo(path("fifo"), 0o666) == 0)
    try program("libexec/swift/linux/swift-backtrace", as: "backtrace")
  }

  deinit { close(listener) }

  func path(_ name: String) -> String { folder.path(name) }

  /// The environment of a root who has kept the user's (`su -m`).
  var environment: [String: String] {
    let dead = "http://127.0.0.1:1"
    return [
      "HOME": folder.path, "PATH": path("bin") + ":/usr/bin:/bin", "TMPDIR": path("tmp"),
      "XDG_CONFIG_HOME": path("config"), "XDG_STATE_HOME": path("xdg"),
      "XDG_RUNTIME_DIR": path("run"), "FETTLE_SOCKET": path("run/fettle/engine.sock"),
      "LD_LIBRARY_PATH": path("lib"), "TERMINFO": path("terminfo"), "LOCPATH": path("locale"),
      "APT_CONFIG": path("tree/etc/apt/apt.conf"), "BASH_ENV": path("bin/sh"),
      "ENV": path("bin/sh"), "TZ": ":" + path("fifo"), "LANGUAGE": "../../.." + path("locale"),
      "SWIFT_ROOT": folder.path, "SWIFT_BACKTRACE": "enable=yes,color=no",
      "PERL5OPT": "-Mevil", "PERL5LIB": path("lib"),
      "DPKG_ROOT": path("tree"), "DPKG_ADMINDIR": path("tree/var/lib/dpkg"), "LC_ALL": "C.UTF-8",
      "http_proxy": dead, "https_proxy": dead, "TERM": "xterm",
    ].merging(ToolOutput.sanitizers) { mine, _ in mine }
  }

  /// What the place's programs were run as: `NAME: UID`.
  var witnesses: [String] {
    TestFolder.names(in: path("witness")).map {
      "\($0): \(TestFolder.text(of: path("witness/" + $0)) ?? "")"
    }
  }

  /// Whether somebody has connected to the place's socket.
  var isConnected: Bool {
    var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&ready, 1, 0) > 0
  }

  /// Every file of the place and of the victim, with owner, mode and size; without the witnesses.
  var record: Set<String> {
    var lines: Set<String> = []
    for top in [folder.path, victim] { add(top, to: &lines) }
    return lines
  }

  private func add(_ path: String, to lines: inout Set<String>) {
    var file = stat()
    guard path != self.path("witness"), unsafe lstat(path, &file) == 0 else { return }
    lines.insert("\(path) \(file.st_uid) \(file.st_mode) \(file.st_ino)")
    if file.st_mode & S_IFMT == S_IFREG { lines.insert("\(path) \(file.st_size)") }
    guard file.st_mode & S_IFMT == S_IFDIR else { return }
    for name in TestFolder.names(in: path) { add(path + "/" + name, to: &lines) }
  }

  // MARK: Preparations

  private func makeWitnesses() throws {
    try TestFolder.makeFolder(path("witness"))
    #expect(unsafe chmod(path("witness"), 0o777) == 0)
    for name in [
      "apt", "apt-get", "apt-config", "apt-cache", "apt-mark", "dpkg", "dpkg-query", "dpkg-deb",
      "sh",
      "setpriv", "systemctl", "systemd-inhibit", "flock", "fettled", "hook", "http", "evil", "gpgv",
      "id", "unshare", "tput", "infocmp",
    ] { try program("bin/" + name, as: name) }
  }

  private func program(_ name: String, as witness: String) throws {
    try TestFolder.makeFolder(path(name).parent)
    try TestFolder.write(
      "#!/bin/sh\n/usr/bin/id -u >'\(path("witness/" + witness))'\n", to: path(name), mode: 0o755)
  }

  private func makeRoot(_ name: String) throws {
    for inner in [
      "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/apt/lists/partial",
      "var/cache/apt/archives/partial", "var/log/apt", "etc/apt/apt.conf.d",
    ] { try TestFolder.makeFolder(path("\(name)/\(inner)")) }
    try TestFolder.write("", to: path("\(name)/var/lib/dpkg/status"))
    let hook = path("bin/hook")
    let configuration = """
      DPkg::Pre-Invoke { "\(hook)"; }; DPkg::Post-Invoke { "\(hook)"; };
      DPkg::Pre-Install-Pkgs { "\(hook)"; };
      APT::Update::Pre-Invoke { "\(hook)"; }; APT::Update::Post-Invoke { "\(hook)"; };
      Acquire::http::Proxy-Auto-Detect "\(hook)";
      APT::Solver "evil"; APT::Planner "evil";
      Dir::Bin::dpkg "\(path("bin/dpkg"))"; Dir::Bin::methods "\(path("bin"))";
      Dir::Bin::gpg "\(path("bin/gpgv"))"; Apt::Key::gpgvcommand "\(path("bin/gpgv"))";
      Dir::Bin::solvers { "\(path("bin"))"; }; Dir::Bin::planners { "\(path("bin"))"; };
      DPkg::Chroot-Directory "\(folder.path)"; DPkg::Path "\(path("bin"))";
      Binary::apt-get::DPkg::Pre-Invoke { "\(hook)"; };

      """
    try TestFolder.write(configuration, to: path("\(name)/etc/apt/apt.conf"))
    try TestFolder.write(configuration, to: path("\(name)/etc/apt/apt.conf.d/99theirs"))
    try TestFolder.write(
      "deb [trusted=yes] http://127.0.0.1:1 ./\n", to: path("\(name)/etc/apt/sources.list"))
    try link("\(name)/var/lib/dpkg/lock-frontend", to: victim + "/file")
    try link("\(name)/var/log/dpkg.log", to: victim + "/file")
  }

  /// A state folder with a job whose work is one of the place's programs.
  private func makeState() async throws {
    let job = path("state/jobs/1")
    try TestFolder.makeFolder(job)
    try TestFolder.write(
      """
      {"commands":[{"role":"install","arguments":["\(path("bin/hook"))"],"environment":{}}],\
      "dpkg":{"role":"install","arguments":["\(path("bin/dpkg"))"],"environment":{}},\
      "adminDirectory":"\(path("tree/var/lib/dpkg"))",\
      "frontendLock":"\(path("tree/var/lib/dpkg/lock"))","expected":[],"decidingFiles":[]}
      """, to: job + "/work.json")
    for name in ["journal.sqlite", "journal.sqlite-wal", "engine.lock"] {
      try link("state/" + name, to: victim + "/file")
    }
    for name in ["archives", "cache"] { try link("state/" + name, to: victim) }
  }

  private func makeConfiguration() throws {
    try TestFolder.makeFolder(path("config/fettle/themes"))
    try TestFolder.write(
      "[roles]\n\"text\" = \"nonsense\"\n", to: path("config/fettle/themes/t.toml"))
    try TestFolder.write(
      """
      theme = "t"
      [engine]
      root = "\(path("tree"))"
      state = "\(path("state"))"
      socket = "\(path("engine.sock"))"

      """, to: path("config/fettle/config.toml"))
    try TestFolder.makeFolder(path("xdg/fettle"))
    try link("xdg/fettle/monitor.toml", to: victim + "/file")
    try TestFolder.makeFolder(path("run/fettle"))
  }

  private func link(_ name: String, to target: String) throws {
    try #require(unsafe symlink(target, path(name)) == 0)
    try #require(unsafe lchown(path(name), TestUser.id, TestUser.id) == 0)
  }

  private func bindListener() -> Bool {
    let name = path("run/fettle/engine.sock")
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isShort = unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      guard name.utf8.count < bytes.count else { return false }
      for (index, byte) in name.utf8.enumerated() { unsafe bytes[index] = byte }
      return true
    }
    let isBound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isShort, isBound, listen(listener, 64) == 0 else { return false }
    let isTheirs = unsafe chown(name, TestUser.id, TestUser.id) == 0
    return unsafe chmod(name, 0o666) == 0 && isTheirs
  }
}

extension String {
  /// The path of the folder above.
  fileprivate var parent: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "" }
}
