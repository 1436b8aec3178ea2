import Glibc
import HostSystem
import InstallJobs

/// The processes of a worker's session, divided by whether the job waits for their end.
///
/// A maintainer script may leave a process running without end; the job does not wait for it.
struct SessionWork: Sendable, Hashable {
  /// Package tools and their descendants; the job waits until they have ended.
  var tools: [ProcessIdentity] = []
  /// Maintainer scripts without a tool above them, and the descendants of such scripts.
  ///
  /// A background part of a script has the same command line as the script, so the two cannot be
  /// told apart. The job waits for these processes with a time-out.
  var scripts: [ProcessIdentity] = []
  /// All other processes: left running by a script.
  var others: [ProcessIdentity] = []

  /// Whether any tool or script runs.
  var isAtWork: Bool { !tools.isEmpty || !scripts.isEmpty }

  /// The data about a process that the division needs.
  struct Member: Sendable, Hashable {
    var identity: ProcessIdentity
    var parent: Int32
    /// The path of its program; nil where it cannot be read.
    var program: String?
    /// Its command line.
    var arguments: [String]
  }

  init() {}

  /// Divides the processes of a session.
  init(of members: [Member]) {
    let known = Dictionary(members.map { ($0.identity.pid, $0) }) { first, _ in first }
    for member in members {
      var (current, steps) = (Optional(member), 0)
      var kind = Kind.other
      // Limits the loop: a chain of parents is no longer than the number of processes.
      while let process = current, steps <= members.count, kind != .tool {
        if process.isTool { kind = .tool } else if process.isScript { kind = .script }
        (current, steps) = (known[process.parent], steps + 1)
      }
      switch kind {
      case .tool: tools.append(member.identity)
      case .script: scripts.append(member.identity)
      case .other: others.append(member.identity)
      }
    }
  }

  /// Reads and divides the processes of a worker's session, without the worker.
  init(after worker: ProcessIdentity) {
    self.init(of: worker.session().filter { $0 != worker }.compactMap { Member($0) })
  }

  private enum Kind {
    case other
    case script
    case tool
  }

  /// The names of all processes, for a job that no longer waits for any of them; nil for none.
  var wordsForAll: String? { Self.words(tools + scripts + others) }

  private static func words(_ processes: [ProcessIdentity]) -> String? {
    guard !processes.isEmpty else { return nil }
    let names = processes.prefix(5).map { process in
      "\(Sanitised.line(process.command, limit: 32)) (pid \(process.pid))"
    }
    let more = processes.count > 5 ? ", \(processes.count - 5) more" : ""
    return names.joined(separator: ", ") + more
  }
}

extension SessionWork.Member {
  /// Reads a process from `/proc`; nil when it is gone.
  init?(_ identity: ProcessIdentity) {
    guard let record = ProcessRecord(of: identity.pid), record.started == identity.started else {
      return nil
    }
    let line = RootFiles.text(of: "/proc/\(identity.pid)/cmdline", limit: 16 << 10) ?? ""
    self.init(
      identity: identity, parent: record.parent,
      program: RootFiles.linkTarget(of: "/proc/\(identity.pid)/exe"),
      arguments: line.split(separator: "\0").map { String($0) })
  }

  private static let tools: Set<String> = ["apt-get", "dpkg", "dpkg-deb", "dpkg-split"]
  private static let scripts: Set<String> = ["preinst", "postinst", "prerm", "postrm"]

  /// Whether the process runs a package tool, by its program file and not by a name that it can
  /// set.
  var isTool: Bool {
    let parts = (program ?? "").split(separator: "/").suffix(2)
    guard parts.count == 2, parts.first == "bin", let file = parts.last else { return false }
    // The kernel adds `(deleted)` where an upgrade of dpkg has replaced its program on the disk.
    return Self.tools.contains(String(file.prefix { $0 != " " }))
  }

  /// Whether the process runs a maintainer script: the script itself, or an interpreter with it.
  var isScript: Bool { arguments.prefix(3).contains { Self.isScriptPath($0) } }

  private static func isScriptPath(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    guard let file = parts.last, parts.count >= 2 else { return false }
    switch parts[parts.count - 2] {
    case "tmp.ci": return scripts.contains(String(file))
    case "info":
      guard let dot = file.lastIndex(of: ".") else { return false }
      return scripts.contains(String(file[file.index(after: dot)...]))
    default: return false
    }
  }
}
