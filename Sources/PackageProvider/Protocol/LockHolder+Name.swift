import HostSystem
package import InstallJobs

extension LockHolder {
  /// Creates a lock holder with the process's number and name; the name is nil when the process has
  /// ended.
  package init(named pid: Int32) {
    let name = RootFiles.text(of: "/proc/\(pid)/comm", limit: 64)
    self.init(
      pid: pid, command: name.map { Sanitised.line($0.prefix { $0 != "\n" }, limit: 32) })
  }

  /// Name and number of the process, for use in a sentence.
  package var words: String { "\(command ?? "a process") (pid \(pid))" }
}
