import Glibc

/// The identity of this process.
enum ProcessIdentity {
  /// This process's id.
  static var own: Int32 { getpid() }
}
