internal import Glibc
import HostSystem
package import InstallJobs

/// The configuration and environment of apt's tools for one package root.
///
/// apt reads the file named by `APT_CONFIG` before the root's own configuration, which would
/// override it (measured; also `configuration-and-environment order` in apt.conf(5)). So the file
/// itself includes the root's own configuration, tells apt to read no other, and sets the job's
/// values last. For a system tree elsewhere it includes only settings that are harmless outside of
/// the tree. A private root uses its own settings, never the host's: setting `Dir` on a command
/// line would come after apt has read the host's hooks.
package struct AptConfiguration: Sendable, Hashable {
  /// The purpose of the tools.
  package enum Use: Sendable, Hashable {
    /// Reading: simulate, list, show; also a refresh of the index.
    case query
    /// Fetching archives into a job's folder, without the package lock.
    case download(archives: String)
    /// Installing from that folder.
    ///
    /// `gate` is the path of the script that apt calls instead of dpkg. `intentionGate` is the path
    /// of the script that checks apt's announced operations, if any. apt writes status lines to
    /// descriptor 3, dpkg to descriptor 4.
    case install(archives: String, gate: String, intentionGate: String?)

    var changesPackages: Bool { if case .install = self { true } else { false } }
  }

  /// The package root.
  package var root: PackageRoot
  /// The policy for configuration files that were changed both locally and by the package.
  package var conffiles: ConffilePolicy
  /// The HTTP proxy for downloads, as a URL; nil uses the machine's setting.
  package var proxy: String?
  /// Seconds that apt waits for the package lock; the worker has waited for it before.
  package var lockTimeout: Int
  /// The folder for apt's package cache; nil for the root's own setting.
  package var cache: String?
  /// The copy of apt's list of automatically installed packages that apt uses instead of the root's
  /// own; nil for the root's own.
  var automaticMarks: String?
  /// The package database that apt reads instead of the root's own; for reading only.
  var expected: ExpectedDatabase?

  /// Creates the configuration for a root with a job's options.
  ///
  /// - Parameters:
  ///   - root: The package root.
  ///   - conffiles: The policy for changed configuration files.
  ///   - proxy: The HTTP proxy for downloads; nil uses the machine's setting.
  ///   - lockTimeout: Seconds that apt waits for the package lock.
  ///   - cache: A folder for apt's package cache, shared by all readers of the root.
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

  /// Returns the content of the file that `APT_CONFIG` names.
  ///
  /// Includes files that exist in the root's folder now, so create it for each use.
  package func text(for use: Use) -> String {
    var lines: [String] = []
    if case .install(_, let gate, let intentionGate) = use {
      // The first option is the script that /bin/sh runs, whatever the root's own options are.
      lines += setting("DPkg::Options::", gate)
      if let intentionGate {
        // The intention gate comes before the root's own hooks, which may act on operations that it
        // refuses. apt finds a hook's options by its first word, which no other hook may share.
        lines += setting("DPkg::Pre-Install-Pkgs::", "command /bin/sh '\(intentionGate)'")
        lines += setting("DPkg::Tools::Options::command::Version", "3")
      }
    }
    lines += included()
    // Looking runs no program of the machine's settings; a simulation names its own hook.
    if case .query = use { lines += ["#clear AptCli::Hooks;"] }
    lines += setting("Dir", root.path("")) + setting("Dir::Etc::main", "/dev/null")
    lines += setting("Dir::Etc::parts", "/dev/null")
    lines += setting("Dir::State::status", expected?.statusFile ?? root.statusFile)
    if let automaticMarks { lines += setting("Dir::State::extended_states", automaticMarks) }
    lines += setting("Dir::Bin::dpkg", "/usr/bin/dpkg")
    if root.kind == .privateRoot { lines += setting("APT::Sandbox::User", "root") }
    lines += setting("APT::Immediate-Configure-All", "false") + setting("APT::Color", "0")
    lines += setting("Acquire::ForceHash", "SHA256")
    lines += setting("DPkg::Use-Pty", "0")
    if let proxy {
      lines += setting("Acquire::http::Proxy", proxy) + setting("Acquire::https::Proxy", proxy)
    }
    if let cache {
      // The two files take 37 MB each for Debian's main section. apt fails when space runs out, but
      // works without the files when their names are empty.
      let hasRoom = RootFiles.freeBytes(at: cache).map { $0 > 256 << 20 } ?? true
      let digest = expected.map { "\($0.folder)/pkgcache.bin" } ?? "\(cache)/\(root.digestName)"
      lines += setting("Dir::Cache::pkgcache", hasRoom ? digest : "")
      lines += setting("Dir::Cache::srcpkgcache", hasRoom ? cache + "/srcpkgcache.bin" : "")
    }
    // apt writes a compressed record of each ordering: 50 ms in each call for reading (measured).
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
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Makes apt copy archives of `file:` sources, as it fetches those of other sources.
  ///
  /// Otherwise apt uses them in place, and with `--no-download` it does not find them there
  /// (measured: "Pathname to install is not absolute").
  private var copies: [String] { setting("Dir::Bin::methods::file", "copy") }

  /// The environment of all tools; of the engine's own environment it keeps only the proxies.
  ///
  /// `HOME` is a folder that every user can read: dpkg warns on standard error when it cannot look
  /// for its settings there (measured).
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

  /// Returns the environment with `APT_CONFIG` naming the file that contains ``text(for:)``.
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

  // Including a missing file is an error of apt (measured on 2.6.1).
  private func included() -> [String] {
    // The tree's settings are meant for use inside the tree, but apt would run their commands
    // outside.
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

  /// Returns a setting as a line; nil when the file format cannot express the value.
  ///
  /// All settings are written by this function. apt's file format has no escape for a quote. URLs
  /// and paths need none: roots and state folders with such paths are refused.
  static func line(_ name: String, _ value: String) -> String? {
    let isWritable = value.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && ![0x22, 0x5C, 0x7F].contains($0.value)
    }
    return isWritable ? "\(name) \"\(value)\";" : nil
  }
}
