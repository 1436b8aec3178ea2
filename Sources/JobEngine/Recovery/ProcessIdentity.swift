import Glibc

/// What this process is to others.
enum ProcessIdentity {
  /// The process id of this process.
  static var own: Int32 { getpid() }
}
