import HostSystem
internal import InstallJobs

/// The state of the whole system, read with systemd's own tool.
package enum SystemState {
  /// The state of the system in the words of `systemctl is-system-running`: `running`, `degraded`,
  /// `stopping` during a shutdown, ...
  ///
  /// - Parameter timeout: Time-out of the tool.
  /// - Returns: The state; nil if systemd is not the service manager or does not answer in time.
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
      // This also ends the tool.
      group.cancelAll()
      return first
    }
  }
}
