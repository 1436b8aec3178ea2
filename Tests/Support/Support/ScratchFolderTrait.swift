// A statically linked release build has no Testing, and no tests.
#if canImport(Testing)
package import Testing

/// Gives each test case a scratch folder as `ScratchFolder.current`.
package struct ScratchFolderTrait: TestTrait, SuiteTrait, TestScoping, Sendable {
  /// Applies to the tests inside a suite.
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await ScratchFolder.$current.withValue(try ScratchFolder()) { try await function() }
  }
}

extension Trait where Self == ScratchFolderTrait {
  /// A scratch folder for each test case, removed afterwards.
  package static var scratchFolder: ScratchFolderTrait { ScratchFolderTrait() }
}
#endif
