import HostSystem
import InstallJobs

/// Detects an apt that waits without end because its download methods were killed, for example by
/// the kernel's out-of-memory killer.
///
/// apt 2.6.1 does not notice a method that ends while it starts (measured).
struct FetcherWatch: Sendable {
  /// Milliseconds between two checks.
  static let interval: Int32 = 30_000

  private let program: String
  private var wasAlone = false

  /// Creates a watch.
  ///
  /// - Parameter program: The name of the process to check. Before the process becomes apt, it is
  ///   another program that waits for a lock; that one is not checked.
  init(program: String = "apt-get") { self.program = program }

  /// Whether the process slept without a child process at this check and at the previous one.
  mutating func isAbandoned(_ pid: Int32) -> Bool {
    let isAlone = WorkProcess(of: pid).map { process in
      process.command == program && process.state == "S" && !hasChildren(pid)
    }
    defer { wasAlone = isAlone == true }
    return wasAlone && isAlone == true
  }

  private func hasChildren(_ pid: Int32) -> Bool {
    RootFiles.names(in: "/proc").contains { name in
      Int32(name).flatMap { ProcessRecord(of: $0) }?.parent == pid
    }
  }

  /// The error of a job whose apt was ended for this reason.
  static let error = InstallationError(
    .downloadFailed, "apt's download processes ended unexpectedly", class: .transient,
    hint: "look into the kernel's log for 'Out of memory', then retry the job")
}
