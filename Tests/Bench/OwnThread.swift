internal import Dispatch
internal import Glibc

/// Runs what blocks on a thread of its own, which the concurrency pool must not lose.
///
/// - Throws: What `body` throws.
func onOwnThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "measuring").async { continuation.resume(with: Result(catching: body)) }
  }
}

/// Lets the thread sleep; for threads of one's own.
func pause(for duration: Duration) { usleep(UInt32(max(0, duration / .microseconds(1)))) }
