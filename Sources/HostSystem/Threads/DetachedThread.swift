internal import Glibc

/// A thread for one blocking call that must not block a thread of the concurrency pool.
package struct DetachedThread: ~Copyable {
  /// Whether the thread could be started.
  package let isRunning: Bool

  /// Starts the thread.
  ///
  /// - Parameter body: The thread's function; the thread ends with it.
  package init(_ body: @escaping @Sendable () -> Void) {
    let box = unsafe Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    isRunning = status == 0
    if status == 0 { pthread_detach(thread) } else { unsafe box.release() }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
