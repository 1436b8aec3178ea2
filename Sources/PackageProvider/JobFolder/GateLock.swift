import CProcess
import Glibc
internal import HostSystem
package import InstallJobs
import Synchronization

/// The lock of a job's gate, under which a request to stop is written or withdrawn.
///
/// Whatever can open the gate can hold its lock for as long as it pleases, so it is waited for on a
/// thread of its own and for a bounded time.
package final class GateLock: Sendable {
  /// What came of the attempt to lock the gate.
  package enum State: Sendable {
    /// The lock is held until ``GateLock/release()``.
    case held
    /// The work has no gate.
    case notNeeded
    /// The gate cannot be opened.
    case unavailable
    /// Another process held it for the whole time; nil where it cannot be named.
    case heldByOther(LockHolder?)
  }

  package let state: State
  private let file: Mutex<Descriptor?>

  private init(_ state: State, _ file: Descriptor? = nil) {
    self.state = state
    self.file = Mutex(file)
  }

  /// For work without a gate.
  package static var notNeeded: GateLock { GateLock(.notNeeded) }

  /// How long another process may hold the gate until a request to stop is refused, in milliseconds.
  ///
  /// The gate's own script holds it for a few.
  private static let limit: Int32 = 2_000
  private static let threads = WaitingThreads(limit: 16)

  /// Locks the gate of a job's folder.
  ///
  /// - Parameter folder: The folder.
  /// - Returns: The lock, or why there is none, after two seconds at most.
  package static func lock(_ folder: JobFolder) async -> GateLock {
    guard let file = folder.open(.gate, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK) else {
      return GateLock(.unavailable)
    }
    if file_lock(file.number, 0) == 0 { return GateLock(.held, file) }
    return await withCheckedContinuation { continuation in
      threads.perform { continuation.resume(returning: wait(for: file)) }
    }
  }

  private static func wait(for file: Descriptor) -> GateLock {
    // flock(2) knows no time-out, and a thread in it could not be ended.
    if file_lock_within(file.number, limit) == 0 { return GateLock(.held, file) }
    var record = stat()
    let holder = unsafe fstat(file.number, &record) == 0 ? LockTable.holder(of: record) : nil
    return GateLock(.heldByOther(holder.map { LockHolder(named: $0) }))
  }

  /// Why a request cannot be written under it; nil where it can.
  package var refusal: String? {
    guard case .heldByOther(let holder) = state else { return nil }
    let advice =
      switch holder {
      case let holder? where holder.pid == getpid():
        "another request to the engine (pid \(holder.pid)); nothing was asked for: wait for it"
      case let holder?:
        "\(holder.words); nothing was asked for: end that process or wait for it"
      case nil: "a process that cannot be named; nothing was asked for: wait for it"
      }
    return "the job's gate is held by \(advice), then ask again"
  }

  /// Lets others lock the gate.
  package func release() {
    file.withLock { file in
      if let file { file_unlock(file.number) }
      file = nil
    }
  }
}
