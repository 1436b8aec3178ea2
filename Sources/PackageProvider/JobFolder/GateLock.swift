import CProcess
import Glibc
internal import HostSystem
package import InstallJobs
import Synchronization

/// The lock of a job's gate, under which a request to stop is written or cancelled.
///
/// Any process that can open the gate can hold its lock for any time. So the wait happens on a
/// separate thread and has a time-out.
package final class GateLock: Sendable {
  /// The result of the attempt to lock the gate.
  package enum State: Sendable {
    /// The lock is held until ``GateLock/release()``.
    case held
    /// The work has no gate.
    case notNeeded
    /// The gate cannot be opened.
    case unavailable
    /// Another process held the lock until the time-out; nil where the process is unknown.
    case heldByOther(LockHolder?)
  }

  package let state: State
  private let file: Mutex<Descriptor?>

  private init(_ state: State, _ file: Descriptor? = nil) {
    self.state = state
    self.file = Mutex(file)
  }

  /// A lock for work without a gate.
  package static var notNeeded: GateLock { GateLock(.notNeeded) }

  /// Milliseconds after which the wait for the gate ends and a request to stop is refused.
  ///
  /// The gate's own script holds the lock for a few milliseconds.
  private static let limit: Int32 = 2_000
  private static let threads = WaitingThreads(limit: 16)

  /// Locks the gate of a job's folder.
  ///
  /// - Parameter folder: The folder.
  /// - Returns: The lock, or why there is none, after at most two seconds.
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
    // flock(2) has no time-out, and a thread blocked in it could not be ended.
    if file_lock_within(file.number, limit) == 0 { return GateLock(.held, file) }
    var record = stat()
    let holder = unsafe fstat(file.number, &record) == 0 ? LockTable.holder(of: record) : nil
    return GateLock(.heldByOther(holder.map { LockHolder(named: $0) }))
  }

  /// Why a request cannot be written under this lock; nil where it can.
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

  /// Releases the lock.
  package func release() {
    file.withLock { file in
      if let file { file_unlock(file.number) }
      file = nil
    }
  }
}
