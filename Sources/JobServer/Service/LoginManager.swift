import HostSystem
package import InstallJobs
internal import Subprocess
internal import SystemPackage

/// The login manager (logind).
///
/// It announces shutdowns of the machine and lets processes delay them. The interface is systemd's
/// own tools. One process tree does both: `systemd-inhibit` holds the delay as long as `busctl
/// monitor` runs, which prints the announcements. An engine that dies leaves no delay behind: the
/// monitor ends when it writes a line that is not read.
package enum LoginManager {
  /// Whether a login manager can be reached on this machine.
  package static var isPresent: Bool {
    RootFiles.isFolder("/run/systemd/system") && RootFiles.exists("/run/dbus/system_bus_socket")
      && RootFiles.exists(monitorPath) && RootFiles.exists(inhibitPath)
  }

  private static let monitorPath = "/usr/bin/busctl"
  private static let inhibitPath = "/usr/bin/systemd-inhibit"

  private static let monitor = [
    "--system", "--json=short", "monitor",
    "--match=type='signal',sender='org.freedesktop.login1',"
      + "interface='org.freedesktop.login1.Manager',member='PrepareForShutdown'",
  ]

  /// Follows the announcements of shutdowns until `body` returns false.
  ///
  /// - Parameters:
  ///   - delays: Whether shutdowns are delayed until this call returns.
  ///   - body: Called with each announcement: true before a shutdown, false after a cancelled
  ///     shutdown. Returns whether to continue.
  /// - Throws: `internal` if the tool cannot be started or ends by itself.
  package static func followShutdowns(
    delays: Bool, _ body: @Sendable (Bool) async -> Bool
  ) async throws(InstallationError) {
    var command = [monitorPath] + monitor
    if delays {
      command =
        [
          inhibitPath, "--what=shutdown", "--mode=delay", "--who=Fettle",
          "--why=the job at work stops between two packages",
        ] + command
    }
    let tool = command[0]
    let status: TerminationStatus
    do {
      let run = try await Subprocess.run(
        .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())),
        environment: .custom(["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]), input: .none,
        output: .sequence, error: .discarded
      ) { execution -> Bool in
        var line: [UInt8] = []
        for try await piece in execution.standardOutput {
          var bytes: [UInt8] = []
          unsafe piece.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
          for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
              // An announcement has about 300 bytes.
              if line.count < 4096 { line.append(byte) }
              continue
            }
            let announcement = announcement(in: String(decoding: line, as: UTF8.self))
            line = []
            guard let announcement else { continue }
            guard await body(announcement) else {
              try execution.send(signal: .terminate)
              return true
            }
          }
        }
        return false
      }
      if run.closureResult { return }
      status = run.terminationStatus
    } catch {
      throw InstallationError(
        .internal, "cannot follow the login manager: \(Sanitised.line("\(error)"))")
    }
    throw InstallationError(
      .internal, "cannot follow the login manager: \(tool) ended by itself, \(status)")
  }

  /// Whether a shutdown is announced and not cancelled; nil if the login manager does not answer.
  package static func isPreparingForShutdown() async -> Bool? {
    let run = try? await Tool(monitorPath).run(
      [
        "--system", "--timeout=5", "get-property", "org.freedesktop.login1",
        "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PreparingForShutdown",
      ], environment: Tool.plain)
    switch run?.output.prefix(while: { $0 != "\n" }) {
    case "b true": return true
    case "b false": return false
    default: return nil
    }
  }

  /// The announcement in a line of the monitor: true for a shutdown, false for a cancelled
  /// shutdown, nil for any other line.
  static func announcement(in line: String) -> Bool? {
    guard line.contains(#""member":"PrepareForShutdown""#) else { return nil }
    if line.contains(#""data":[true]"#) { return true }
    return line.contains(#""data":[false]"#) ? false : nil
  }
}
