internal import Glibc

/// A complete Debian tree that mmdebstrap made, in which package scripts change their root.
struct ChrootTree: ProvingRoot {
  /// Its absolute path.
  let path: String
  private let log: String

  /// Real packages with scripts, triggers and dependencies, none of which starts a service.
  let offered = [
    "bc", "file", "figlet", "git", "groff-base", "jq", "less", "man-db", "mc", "nano",
    "openssh-client", "patch", "rsync", "sl", "tree", "vim-tiny", "xz-utils", "zsh",
  ]

  /// The tree at a path, which a process of this section may fill.
  init(at path: String, log: String) {
    self.path = path
    self.log = log
  }

  /// Makes a small system of the machine's own release.
  ///
  /// - Throws: ``CannotMeasure`` when this is not root, or mmdebstrap is missing or fails.
  static func make(at path: String, log: String) async throws -> ChrootTree {
    let tool = "/usr/bin/mmdebstrap"
    guard geteuid() == 0, unsafe access(tool, X_OK) == 0 else {
      throw CannotMeasure(
        "a chroot is made by root with mmdebstrap",
        hint: "install mmdebstrap and run it as root, or name other sections")
    }
    guard let release = SmallFile.text("/etc/os-release").flatMap(codename) else {
      throw CannotMeasure("/etc/os-release names no release")
    }
    _ = try await ChildProgram.run(
      [tool, "--quiet", "--variant=minbase", release, path],
      environment: PrivateRoot.environment, log: log)
    let policy = path + "/usr/sbin/policy-rc.d"
    try SmallFile.write("#!/bin/sh\nexit 101\n", to: policy)
    unsafe chmod(policy, 0o755)
    return ChrootTree(at: path, log: log)
  }

  /// Copies the tree; nothing may be mounted in it.
  ///
  /// - Throws: ``CannotMeasure`` when something is, or when it cannot be copied.
  func copy(to copy: String) async throws -> ChrootTree {
    let mounts = SmallFile.text("/proc/self/mounts") ?? path
    guard !mounts.contains(" \(path)") else {
      throw CannotMeasure("something is mounted in '\(path)'")
    }
    _ = try await ChildProgram.run(
      ["/bin/cp", "-a", path, copy], environment: PrivateRoot.environment, log: log)
    return ChrootTree(at: copy, log: log)
  }

  func installed() async throws -> InstalledPackages {
    InstalledPackages(
      printed: try await run([
        "/usr/bin/dpkg-query", "--admindir=\(path)/var/lib/dpkg", "-W",
        "-f", InstalledPackages.format,
      ]))
  }

  func audit() async throws -> String {
    try await run(["/usr/bin/dpkg", "--root=\(path)", "--audit"])
  }

  var configurations: [String: Int] {
    Self.configurations(in: SmallFile.text("\(path)/var/log/dpkg.log") ?? "")
  }

  /// How often each package was configured, by dpkg's log: `DATE TIME configure NAME:ARCH …`.
  static func configurations(in log: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    for line in log.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 3, words[2] == "configure",
        let name = words[3].split(separator: ":").first
      else { continue }
      counts[String(name), default: 0] += 1
    }
    return counts
  }

  /// The release's name in an `os-release` file.
  static func codename(in text: String) -> String? {
    text.split(separator: "\n").first { $0.hasPrefix("VERSION_CODENAME=") }
      .map { String($0.drop { $0 != "=" }.dropFirst()) }
  }

  private func run(_ words: [String]) async throws -> String {
    try await ChildProgram.run(words, environment: PrivateRoot.environment, log: log)
  }
}
