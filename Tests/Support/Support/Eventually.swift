/// A condition that did not come true within its bound.
package struct ConditionNotMet: Error, Sendable, CustomStringConvertible {
  /// What was waited for, for how long, and where.
  package let description: String

  package init(_ what: String, within bound: Duration, file: StaticString, line: UInt) {
    description = "\(file):\(line): \(what) did not come true within \(bound)"
  }
}

/// Waits for a condition, looking at it often, and gives up at a bound of real time.
///
/// The condition is looked at once more after the bound, so a slow machine alone fails nothing.
///
/// - Parameters:
///   - what: What is waited for, for the failure's text.
///   - bound: The longest wait.
///   - file: The caller's file.
///   - line: The caller's line.
///   - condition: What has to hold.
/// - Throws: ``ConditionNotMet`` after the bound; whatever the condition throws.
package func eventually(
  _ what: String = "the condition", within bound: Duration = .seconds(60),
  file: StaticString = #fileID, line: UInt = #line, _ condition: () async throws -> Bool
) async throws {
  _ = try await eventually(what, within: bound, file: file, line: line) {
    try await condition() ? () : nil
  }
}

/// Waits for a value: like the form above, for something that is there or not yet.
///
/// - Parameters:
///   - what: What is waited for, for the failure's text.
///   - bound: The longest wait.
///   - file: The caller's file.
///   - line: The caller's line.
///   - value: The value, or nil while it is not there.
/// - Returns: The first value that is not nil.
/// - Throws: ``ConditionNotMet`` after the bound; whatever the closure throws.
package func eventually<Value>(
  _ what: String = "the value", within bound: Duration = .seconds(60),
  file: StaticString = #fileID, line: UInt = #line, _ value: () async throws -> Value?
) async throws -> Value {
  let clock = ContinuousClock()
  let deadline = clock.now.advanced(by: bound)
  var looks = 0
  while true {
    let isLast = clock.now >= deadline
    if let found = try await value() { return found }
    if isLast { throw ConditionNotMet(what, within: bound, file: file, line: line) }
    looks += 1
    if looks < 50 {
      await Task.yield()
    } else {
      try await Task.sleep(for: .milliseconds(looks < 500 ? 1 : 10))
    }
  }
}
