import HostSystem
internal import InstallJobs

/// The state of the whole system, asked of systemd through its own tool.
package enum SystemState {
  /// The state of the system as `systemctl is-system-running` names it: `running`, `degraded`,
  /// `stopping` while the machine goes down, ...
  ///
  /// - Parameter timeout: How long the tool may take.
  /// - Returns: Nil where systemd is not the service manager or does not answer in time.
  package static func present(within timeout: Duration) async -> String? {
    guard RootFiles.isFolder("/run/systemd/system") else { return nil }
    return await withTaskGroup(of: String?.self) { group in
      group.addTask {
        let run = try? await Tool("/usr/bin/systemctl").run(
          ["is-system-running"], environment: Tool.plain)
        return run.map { String($0.output.prefix { $0 != "\n" }) }
      }
      group.addTask {
        try? await Task.sleep(for: timeout)
        return nil
      }
      let first = await group.next() ?? nil
      // Ends the tool, too.
      group.cancelAll()
      return first
    }
  }
}
