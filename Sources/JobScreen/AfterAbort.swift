/// What the question before an abort says about cleaning up afterwards.
///
/// The engine keeps no such wish: whoever asked waits for the end and cleans up then, so it ends
/// with the monitor, and the question says so.
enum AfterAbort: Sendable {
  /// `Run cleanup afterwards, while this monitor is open? [ ] (c)`.
  static func lines(_ question: AbortQuestion, columns: Int) -> [String] {
    let box = question.cleansUp ? "[x]" : "[ ]"
    let text = "\(start) afterwards, while this monitor is open? \(box) (c)"
    guard text.count > columns else { return [text] }
    return ["\(start) afterwards? \(box) (c)", "\(start) needs this monitor open till then."]
  }

  /// The same as a third answer, where lines are printed.
  static let plain = "3 abort, and clean up afterwards while this monitor is open"

  /// Whether a line of the question is one of these.
  static func isBox(_ line: String) -> Bool { line.hasPrefix(start) }

  private static let start = "Run cleanup"
}
