import CProcess
import Glibc
import HostSystem
import InstallJobs

/// A lock of the package database: `lock-frontend`, which front ends hold for all their work, or
/// dpkg's own lock.
///
/// The worker holds `lock-frontend` around apt, so that no other process acquires it between two
/// calls of apt. Record locks (fcntl(2)) belong to the process: they are not inherited and end with
/// it.
final class FrontendLock: Sendable {
  enum Outcome: Sendable {
    case held
    case stopped
    case failed(InstallationError)
  }

  private let path: String
  private let file: Descriptor?

  init(path: String) {
    self.path = path
    file = Descriptor(unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640))
  }

  /// Acquires the lock, waiting for the present holder.
  ///
  /// - Parameters:
  ///   - seconds: The time-out; nil waits without limit.
  ///   - termination: A descriptor that becomes readable when a stop may have been requested.
  ///   - isStopped: Returns whether a stop was requested.
  ///   - note: Called with the lock holder, before the wait and whenever the holder changes.
  ///   - whileWaiting: Called every few seconds of the wait.
  /// - Returns: The outcome; an acquired lock is held until the process ends.
  func acquire(
    within seconds: Double?, termination: Int32, isStopped: () -> Bool,
    note: (LockHolder?) -> Void, whileWaiting: () -> Void = {}
  ) -> Outcome {
    guard let file, let result = Attempt() else {
      return .failed(
        InstallationError(
          .badRoot, "cannot open the package lock \(Sanitised.line(path))",
          hint: "check the rights of the package root"))
    }
    if isStopped() { return .stopped }
    if record_lock(file.number, 0) == 0 { return .held }
    var holder = Self.holder(of: file)
    note(holder)
    let number = file.number
    // A separate thread blocks in the kernel's wait. If this function gives up, the process ends,
    // and the thread with it.
    result.begin { record_lock(number, 1) }
    // Limits the time-out to a century, which the clock can still represent; NaN counts as 0.
    let deadline = seconds.map {
      ContinuousClock.now + .seconds($0 > 0 ? min($0, 3_155_760_000) : 0)
    }
    while true {
      // Wakes every 5 s only to notice a change of the lock holder.
      let left = deadline.map { max(0, ContinuousClock.now.duration(to: $0).milliseconds) }
      let waitTimeout = Int32(min(left ?? 5_000, 5_000))
      let ready = wait_readable(result.done.number, termination, -1, waitTimeout)
      if ready & 1 != 0 {
        guard let error = result.error, error == 0 else {
          return .failed(InstallationError(.badRoot, "the package lock cannot be taken"))
        }
        return isStopped() ? .stopped : .held
      }
      if ready & 2 != 0 {
        var count: UInt64 = 0
        unsafe withUnsafeMutableBytes(of: &count) {
          _ = unsafe read(termination, $0.baseAddress, 8)
        }
        if isStopped() { return .stopped }
      }
      if let deadline, ContinuousClock.now >= deadline { return .failed(Self.busy(holder)) }
      let present = Self.holder(of: file)
      if present != holder, present != nil {
        holder = present
        note(holder)
      }
      whileWaiting()
    }
  }

  private static func holder(of file: Descriptor) -> LockHolder? {
    let pid = record_lock_holder(file.number)
    guard pid != 0 else { return nil }
    return LockHolder(process: pid)
  }

  private static func busy(_ holder: LockHolder?) -> InstallationError {
    let who = holder.map { "process \($0.pid) (\($0.command ?? "unknown"))" } ?? "another process"
    return InstallationError(
      .busy, "the package lock is held by \(who)", class: .transient,
      hint: "wait for it to end, then retry the job")
  }
}

/// A blocking call made on a separate thread.
private final class Attempt: @unchecked Sendable {
  let done: Descriptor
  private var outcome: Int32 = -1
  private var call: (@Sendable () -> Int32)?

  init?() {
    guard let done = Descriptor(counter_open()) else { return nil }
    self.done = done
  }

  /// The call's result; nil before `done` is readable.
  var error: Int32? { outcome < 0 ? nil : outcome }

  func begin(_ call: @escaping @Sendable () -> Int32) {
    self.call = call
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let attempt = unsafe Unmanaged<Attempt>.fromOpaque(context).takeRetainedValue()
        attempt.outcome = attempt.call?() ?? -1
        counter_raise(attempt.done.number)
        return nil
      }, context)
    pthread_detach(thread)
  }
}
