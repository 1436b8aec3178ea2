import Glibc
import HostSystem
import InstallJobs

/// The processes of a worker's session, divided by what they mean for the end of the job.
///
/// A maintainer script may leave a process behind that runs for ever. The job does not wait for it.
struct SessionWork: Sendable, Hashable {
  /// Package tools and what runs below them: the job goes on until they have ended.
  var tools: [ProcessIdentity] = []
  /// Maintainer scripts without a tool above them, and what runs below such a script.
  ///
  /// A part of a script that was sent into the background has the same command line as the script, so
  /// the two cannot be told apart: these processes are waited for with a time-out.
  var scripts: [ProcessIdentity] = []
  /// Every other process: what a script left running.
  var others: [ProcessIdentity] = []

  /// Whether any process works on packages.
  var isAtWork: Bool { !tools.isEmpty || !scripts.isEmpty }

  /// A process as far as the division needs it.
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
      // A chain of parents has no more links than there are processes.
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

  /// Reads and divides the processes of the session that a worker leads or led, without the worker.
  init(after worker: ProcessIdentity) {
    self.init(of: worker.session().filter { $0 != worker }.compactMap { Member($0) })
  }

  private enum Kind {
    case other
    case script
    case tool
  }

  /// Names what a script left running: `sleep (pid 7), 2 more`; nil for nothing.
  var wordsForOthers: String? { Self.words(others) }

  /// Names scripts and what a script left running, for a job that waits for none of them any more.
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

  /// Whether it runs one of the package tools: by its program, not by a name that it gave itself.
  var isTool: Bool {
    let parts = (program ?? "").split(separator: "/").suffix(2)
    guard parts.count == 2, parts.first == "bin", let file = parts.last else { return false }
    // The kernel adds `(deleted)` where an upgrade of dpkg has replaced its program on the disk.
    return Self.tools.contains(String(file.prefix { $0 != " " }))
  }

  /// Whether it runs a maintainer script of dpkg's: the script itself, or an interpreter with it.
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
