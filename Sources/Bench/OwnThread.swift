internal import Dispatch

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
