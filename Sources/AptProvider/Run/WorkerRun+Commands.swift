import CProcess
import Glibc
import HostSystem
import PackageProvider

// Running the commands of a worker's order.
extension WorkerRun {
  /// Starts a command; nil when that is not possible.
  func start(_ command: WorkOrder.Command, log: Descriptor) -> ToolProcess? {
    // Only commands that change packages write to the status files.
    guard command.role == .install || command.role == .settle else {
      return ToolProcess(command.arguments, environment: command.environment, output: log)
    }
    // The shell opens the two status files and then execs the tool, because descriptors cannot be
    // passed otherwise; this costs less than a millisecond (measured).
    let script = #"s=$1 d=$2; shift 2; exec "$@" 3>>"$s" 4>>"$d""#
    let arguments =
      ["/bin/sh", "-c", script, "sh", folder.path(.status), folder.path(.dpkgStatus)]
      + command.arguments
    return ToolProcess(arguments, environment: command.environment, output: log)
  }

  /// Runs a command to its end and returns its exit status; 127 when it cannot be started.
  func run(_ command: WorkOrder.Command, log: Descriptor) -> Int32 {
    start(command, log: log)?.reap() ?? 127
  }

  /// The end of a command that may be ended at any moment.
  enum Ending {
    case exited(Int32)
    case stopped
    /// The command was ended because its download processes had ended.
    case abandoned
  }

  /// Runs a command that a request to stop may end at any moment.
  func runUnlessStopped(_ command: WorkOrder.Command, log: Descriptor) -> Ending {
    if acceptsStop() { return .stopped }
    guard let process = start(command, log: log) else { return .exited(127) }
    var watched = termination
    var fetchers = FetcherWatch()
    var isAbandoned = false
    while !isAbandoned {
      let ready = wait_readable(process.descriptor.number, watched, -1, FetcherWatch.interval)
      if ready & 1 != 0 { break }
      guard ready & 2 != 0 else {
        isAbandoned = ready == 0 && watched != -1 && fetchers.isAbandoned(process.pid)
        continue
      }
      clearTermination()
      guard acceptsStop() else { continue }
      watched = -1
      process.signalGroup(SIGTERM)
      if wait_readable(process.descriptor.number, -1, -1, 2_000) == 0 {
        process.signalGroup(SIGKILL)
      }
    }
    // Download processes that outlive apt would keep writing. Before the process is reaped, no
    // other group can have its number.
    process.signalGroup(SIGKILL)
    let status = process.reap()
    if watched == -1 || acceptsStop() { return .stopped }
    return isAbandoned ? .abandoned : .exited(status)
  }

  private func clearTermination() {
    var count: UInt64 = 0
    unsafe withUnsafeMutableBytes(of: &count) { _ = unsafe read(termination, $0.baseAddress, 8) }
  }
}
