// A statically linked release build has no Testing, and no tests.
#if canImport(Testing)
internal import Glibc
package import Testing

/// Ends the run by name of a test case that does not end, cancelled or not.
///
/// A time limit only cancels; what waits for a task that nobody cancels would hang the run for ever.
package struct HangTrait: TestTrait, SuiteTrait, TestScoping, Sendable {
  /// How long a test case may take beyond its time limit.
  private static let grace = Duration.seconds(30)

  /// Applies to the tests inside a suite.
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let name = test.displayName ?? test.name
    let limit = (test.timeLimit ?? .seconds(60)) + Self.grace
    let watch = Task.detached {
      try await Task.sleep(for: limit)
      print("error: \"\(name)\" has not ended within \(limit)")
      fflush(nil)
      _exit(1)
    }
    defer { watch.cancel() }
    try await function()
  }
}

extension Trait where Self == HangTrait {
  /// Ends the run by name of a test case that takes half a minute more than its time limit.
  package static var endsOrAborts: HangTrait { HangTrait() }
}
#endif
