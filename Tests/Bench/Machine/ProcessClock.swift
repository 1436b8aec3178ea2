internal import Glibc

/// The processor time of a whole process, threads that have ended included, children not.
enum ProcessClock: Sendable {
  /// So much since the process began (clock_getcpuclockid(3)).
  ///
  /// - Throws: ``CannotMeasure`` when there is no such process.
  static func time(of process: Int32) throws(CannotMeasure) -> Duration {
    var clock = clockid_t()
    var time = timespec()
    guard unsafe clock_getcpuclockid(process, &clock) == 0,
      unsafe clock_gettime(clock, &time) == 0
    else { throw CannotMeasure("process \(process) ended while it was being measured") }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
