import HostSystem
import InstallJobs

/// Finds an apt that waits for ever because its download methods were killed, by the kernel for want of
/// memory for example: apt 2.6.1 does not notice a method that ends while it starts (measured).
struct FetcherWatch: Sendable {
  /// Milliseconds between two checks.
  static let interval: Int32 = 30_000

  private let program: String
  private var wasAlone = false

  /// - Parameter program: The name of the process that is checked; another one is left alone, as it
  ///   waits for a lock before it becomes apt.
  init(program: String = "apt-get") { self.program = program }

  /// Whether a process has slept without any child at this check and the one before.
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

  /// The error of a job whose apt was ended for it.
  static let error = InstallationError(
    .downloadFailed, "apt's download processes ended unexpectedly", class: .transient,
    hint: "look into the kernel's log for 'Out of memory', then retry the job")
}
