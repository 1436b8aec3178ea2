import HostSystem
package import InstallJobs

/// A process of a job's work at one moment.
package struct WorkProcess: Sendable, Hashable {
  package var pid: Int32
  package var parent: Int32
  /// Clock ticks from the machine's boot to the process's start.
  package var started: UInt64
  /// The kernel's letter: `R` runs, `S` sleeps, `D` waits for a disk, `T` was stopped (proc(5)).
  package var state: String
  /// The name of its program, sanitised.
  package var command: String
  /// The package whose maintainer script the process is or serves, by its environment; nil for
  /// none.
  package var package: String?
  /// The name of that script: `postinst`, ...
  package var script: String?

  /// Creates a value from its parts.
  package init(
    pid: Int32, parent: Int32, started: UInt64 = 0, state: String = "S", command: String,
    package: String? = nil, script: String? = nil
  ) {
    self.pid = pid
    self.parent = parent
    self.started = started
    self.state = state
    self.command = command
    self.package = package
    self.script = script
  }

  /// Reads a process from `/proc`; nil when it has ended.
  ///
  /// Does not read the arguments: they may contain data that users who can see jobs must not see.
  init?(of pid: Int32) {
    guard let record = ProcessRecord(of: pid), record.state != "Z", record.state != "X" else {
      return nil
    }
    let name = RootFiles.text(of: "/proc/\(pid)/comm", limit: 64) ?? ""
    self.init(
      pid: pid, parent: record.parent, started: record.started, state: String(record.state),
      command: Sanitised.line(name.prefix { $0 != "\n" }, limit: 32))
    let variables = RootFiles.text(of: "/proc/\(pid)/environ") ?? ""
    for variable in variables.split(separator: "\0") {
      if let value = variable.after("DPKG_MAINTSCRIPT_PACKAGE="), Update.isPackageName(value) {
        package = String(value)
      } else if let value = variable.after("DPKG_MAINTSCRIPT_NAME="),
        Self.scripts.contains(String(value))
      {
        script = String(value)
      }
    }
  }

  private static let scripts: Set<String> = ["preinst", "postinst", "prerm", "postrm", "config"]

  fileprivate var name: String { "\(command) (pid \(pid))" }
}

extension StallCause {
  /// Creates the reason why work is silent, from the processes of its session; nil when it is
  /// unknown.
  package init?(of processes: [WorkProcess]) {
    let parents = Set(processes.map(\.parent))
    let leaves = processes.filter { !parents.contains($0.pid) }
    // The parent of a background process that a script left running has ended.
    let byPid = Dictionary(processes.map { ($0.pid, $0) }) { first, _ in first }
    func isBelowDpkg(_ process: WorkProcess) -> Bool {
      var (current, steps) = (process, 0)
      while let above = byPid[current.parent], steps < processes.count {
        if above.command == "dpkg" { return true }
        (current, steps) = (above, steps + 1)
      }
      return false
    }
    // The youngest process: dpkg waits for the process that was started last.
    let working = leaves.filter { isBelowDpkg($0) || $0.command == "dpkg" }
    let candidates = working.isEmpty ? leaves : working
    guard let leaf = candidates.max(by: { ($0.started, $0.pid) < ($1.started, $1.pid) })
    else { return nil }
    var place = leaf.name
    if let package = leaf.package, let script = leaf.script {
      place = "\(script) of \(package) runs \(leaf.name)"
    }
    let kind: Kind
    let message: String
    switch leaf.state {
    case "D": (kind, message) = (.disk, "\(place), which waits for the disk")
    case "T", "t": (kind, message) = (.tool, "\(place), which somebody has stopped")
    default:
      if leaf.script != nil, leaf.package != nil {
        (kind, message) = (.script, place)
      } else {
        (kind, message) = (.tool, "\(place) works and says nothing")
      }
    }
    self.init(kind, message, pid: leaf.pid, command: leaf.command)
  }
}
