/// What the question before an abort says about cleaning up afterwards.
///
/// The engine keeps no such wish: whoever asked waits for the end and cleans up then, so it ends
/// with the monitor, and the question says so.
enum CleanUpCheckbox: Sendable {
  /// `Run cleanup afterwards, while this monitor is open? [ ] (c)`, in the longest words that fit.
  static func line(_ question: AbortQuestion, columns: Int) -> String {
    let box = question.cleansUp ? "[x]" : "[ ]"
    let all = [
      "\(start) afterwards, while this monitor is open? \(box) (c)",
      "\(start) afterwards, while this is open? \(box) (c)", "\(start) (if open)? \(box) c",
    ]
    return all.first { $0.count <= columns } ?? all[2]
  }

  /// The same as a third answer, where lines are printed.
  static let plain = "3 abort, and clean up afterwards while this monitor is open"

  /// Whether a line of the question is that line.
  static func isBox(_ line: String) -> Bool { line.hasPrefix(start) }

  private static let start = "Run cleanup"
}

extension MonitorState {
  /// Whether the question has room for the wish: what is not seen must not be switched.
  var showsWish: Bool { Painter.framesQuestions(size) }
}
