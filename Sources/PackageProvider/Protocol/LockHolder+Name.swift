import HostSystem
package import InstallJobs

extension LockHolder {
  /// The process with this number and its name; of nil name where it is gone.
  package init(named pid: Int32) {
    let name = RootFiles.text(of: "/proc/\(pid)/comm", limit: 64)
    self.init(
      pid: pid, command: name.map { Sanitised.line($0.prefix { $0 != "\n" }, limit: 32) })
  }

  /// Name and number for a sentence.
  package var words: String { "\(command ?? "a process") (pid \(pid))" }
}
