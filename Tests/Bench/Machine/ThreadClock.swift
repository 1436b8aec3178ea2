internal import Glibc

/// The processor time of the thread that asks: what others do on the machine hardly counts in it.
enum ThreadClock {
  /// So much since the thread began.
  static var now: Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
