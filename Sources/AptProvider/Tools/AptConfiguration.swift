internal import Glibc
import HostSystem
package import InstallJobs

/// The configuration under which apt's tools work on a package root, and their environment.
///
/// apt reads the file named by `APT_CONFIG` before the root's own configuration, which would win
/// (measured; also `configuration-and-environment order` in apt.conf(5)). So the file includes the
/// root's own configuration itself (of a system tree elsewhere only settings that are harmless outside of
/// it), tells apt to read no other, and sets the job's values last. A
/// private root keeps its own settings, never the host's: `Dir` alone would come too late on a
/// command line, the host's hooks would be read by then.
package struct AptConfiguration: Sendable, Hashable {
  /// What the tools are to do.
  package enum Use: Sendable, Hashable {
    /// Look: simulate, list, show; also refresh the index.
    case query
    /// Fetch archives into a folder of the job's own, without taking the package lock.
    case download(archives: String)
    /// Install from that folder. `gate` is the path of the script that stands before each call of
    /// dpkg, `intentionGate` that of the one that is told what apt is about to do, if any; status lines of
    /// apt go to descriptor 3, those of dpkg to descriptor 4.
    case install(archives: String, gate: String, intentionGate: String?)

    var changesPackages: Bool { if case .install = self { true } else { false } }
  }

  /// The root that the tools work on.
  package var root: PackageRoot
  /// What happens to configuration files that were changed on both sides.
  package var conffiles: ConffilePolicy
  /// The HTTP proxy for downloads, as a URL; nil leaves the machine's setting.
  package var proxy: String?
  /// Seconds that apt itself waits for the package lock; the worker's own waiting comes before.
  package var lockTimeout: Int
  /// Where apt keeps its digest of the index; nil where the root's own settings say.
  package var cache: String?
  /// The package database that apt goes by instead of the root's own; for looking only.
  var expected: ExpectedDatabase?

  /// The configuration for a root, with a job's choices.
  ///
  /// - Parameters:
  ///   - root: The root that the tools work on.
  ///   - conffiles: What happens to changed configuration files.
  ///   - proxy: The HTTP proxy for downloads, or nil for the machine's setting.
  ///   - lockTimeout: Seconds apt waits for the package lock.
  ///   - cache: A folder for apt's digest of the index, shared by all who look at the root.
  package init(
    root: PackageRoot, conffiles: ConffilePolicy = .keep, proxy: String? = nil,
    lockTimeout: Int = 2, cache: String? = nil
  ) {
    self.root = root
    self.conffiles = conffiles
    self.proxy = proxy
    self.lockTimeout = lockTimeout
    self.cache = cache
  }

  /// The text of the file to be named by `APT_CONFIG`.
  ///
  /// Reads the root's folder to see which files there are to include, so it is made for each use.
  package func text(for use: Use) -> String {
    var lines: [String] = []
    if case .install(_, let gate, let intentionGate) = use {
      // The first option is the script that /bin/sh runs, whatever the root's own options are.
      lines += setting("DPkg::Options::", gate)
      if let intentionGate {
        // Before the root's own hooks, which may act on what would be refused. apt knows a hook's options
        // by the first word, which must be nobody else's.
        lines += setting("DPkg::Pre-Install-Pkgs::", "command /bin/sh '\(intentionGate)'")
        lines += setting("DPkg::Tools::Options::command::Version", "3")
      }
    }
    lines += included()
    lines += setting("Dir", root.path("")) + setting("Dir::Etc::main", "/dev/null")
    lines += setting("Dir::Etc::parts", "/dev/null")
    lines += setting("Dir::State::status", expected?.statusFile ?? root.statusFile)
    lines += setting("Dir::Bin::dpkg", "/usr/bin/dpkg")
    if root.kind == .privateRoot { lines += setting("APT::Sandbox::User", "root") }
    lines += setting("APT::Immediate-Configure-All", "false") + setting("APT::Color", "0")
    lines += setting("Acquire::ForceHash", "SHA256")
    lines += setting("DPkg::Use-Pty", "0")
    if let proxy {
      lines += setting("Acquire::http::Proxy", proxy) + setting("Acquire::https::Proxy", proxy)
    }
    if let cache {
      // Twice 37 MB for Debian's main section; without room apt fails, told nothing it does without.
      let hasRoom = RootFiles.freeBytes(at: cache).map { $0 > 256 << 20 } ?? true
      let digest = expected.map { "\($0.folder)/pkgcache.bin" } ?? "\(cache)/\(root.digestName)"
      lines += setting("Dir::Cache::pkgcache", hasRoom ? digest : "")
      lines += setting("Dir::Cache::srcpkgcache", hasRoom ? cache + "/srcpkgcache.bin" : "")
    }
    // apt compresses a record of every ordering it thinks about: 50 ms in a look (measured).
    if !use.changesPackages { lines += setting("Dir::Log::Planner", "/dev/null") }
    switch use {
    case .query: lines += options(root.dpkgOptions)
    case .download(let archives):
      lines += options(root.dpkgOptions)
      lines += setting("Dir::Cache::archives", archives) + setting("Debug::NoLocking", "true")
      lines += setting("Acquire::Queue-Mode", "host") + copies
    case .install(let archives, _, _):
      lines += setting("Dir::Cache::archives", archives) + copies
      lines += setting("Dir::Bin::dpkg", "/bin/sh")
      lines += options(root.dpkgOptions + conffileOptions + ["--status-fd=4"])
      lines += setting("APT::Keep-Fds::", "4") + setting("APT::Status-Fd", "3")
      lines += setting("DPkg::Lock::Timeout", String(lockTimeout))
      lines += setting("APT::Keep-Downloaded-Packages", "true")
      lines += setting("APT::Get::AutomaticRemove", "false")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Has archives of `file:` sources copied as those of others are fetched: a job works with its own.
  ///
  /// apt takes them from where they lie otherwise, and without the right to fetch (`--no-download`) it
  /// cannot find them there (measured: "Pathname to install is not absolute").
  private var copies: [String] { setting("Dir::Bin::methods::file", "copy") }

  /// The environment of all tools: nothing of the engine's own but its proxies.
  ///
  /// `HOME` is a folder everybody can read: dpkg warns on standard error when it cannot look for its
  /// settings there (measured).
  package var environment: [String: String] {
    var values = [
      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_MODE": "l",
      "APT_LISTCHANGES_FRONTEND": "none", "HOME": "/", "TERM": "dumb",
    ]
    for name in ["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"] {
      for spelling in [name, name.uppercased()] {
        guard let value = unsafe getenv(spelling) else { continue }
        values[spelling] = unsafe String(cString: value)
      }
    }
    if let proxy {
      for name in ["http_proxy", "https_proxy"] { values[name] = proxy }
    }
    switch conffiles {
    case .keep: values["UCF_FORCE_CONFFOLD"] = "1"
    case .new: values["UCF_FORCE_CONFFNEW"] = "1"
    case .ask: break
    }
    return values
  }

  /// The environment with `APT_CONFIG` naming the file that ``text(for:)`` was written to.
  package func environment(configurationFile: String) -> [String: String] {
    var values = environment
    values["APT_CONFIG"] = configurationFile
    return values
  }

  var conffileOptions: [String] {
    switch conffiles {
    case .keep: ["--force-confdef", "--force-confold"]
    case .new: ["--force-confnew"]
    case .ask: []
    }
  }

  // Naming a file that does not exist is an error of apt (measured on 2.6.1).
  private func included() -> [String] {
    // A tree's own settings are meant for its inside, but apt would run their commands here.
    if root.kind == .chroot { return TreeSettings(of: root).lines }
    var lines: [String] = []
    let (parts, main) = (root.path("etc/apt/apt.conf.d"), root.path("etc/apt/apt.conf"))
    if RootFiles.isFolder(parts) { lines.append("#include \"\(parts)/\";") }
    if RootFiles.isFile(main) { lines.append("#include \"\(main)\";") }
    return lines
  }

  private func options(_ values: [String]) -> [String] {
    values.flatMap { setting("DPkg::Options::", $0) }
  }

  private func setting(_ name: String, _ value: String) -> [String] {
    Self.line(name, value).map { [$0] } ?? []
  }

  /// The one way into apt's configuration: a setting as a line; nil when the value cannot be written.
  ///
  /// apt's file format has no escape for a quote. A URL and a path do not need it: roots and state
  /// folders with such paths are refused.
  static func line(_ name: String, _ value: String) -> String? {
    let isWritable = value.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && ![0x22, 0x5C, 0x7F].contains($0.value)
    }
    return isWritable ? "\(name) \"\(value)\";" : nil
  }
}
