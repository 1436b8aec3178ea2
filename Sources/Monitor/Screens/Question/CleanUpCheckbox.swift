/// The checkbox for cleaning up after the abort, in the abort question.
///
/// The engine does not store this option: the monitor waits for the end of the job and cleans up
/// then. It therefore works only while the monitor runs, and the line says so.
enum CleanUpCheckbox: Sendable {
  /// `Run cleanup afterwards, while this monitor is open? [ ] (c)`, in the longest variant that
  /// fits.
  static func line(_ question: AbortQuestion, columns: Int) -> String {
    let box = question.cleansUp ? "[x]" : "[ ]"
    let all = [
      "\(start) afterwards, while this monitor is open? \(box) (c)",
      "\(start) afterwards, while this is open? \(box) (c)", "\(start) (if open)? \(box) c",
    ]
    return all.first { $0.count <= columns } ?? all[2]
  }

  /// The checkbox as a third answer, for the plain mode that prints lines.
  static let plain = "3 abort, and clean up afterwards while this monitor is open"

  /// Whether a line of the question is the checkbox line.
  static func isBox(_ line: String) -> Bool { line.hasPrefix(start) }

  private static let start = "Run cleanup"
}

extension MonitorState {
  /// Whether the question has room for the checkbox; it can be switched only while it is visible.
  var showsCheckbox: Bool { Painter.framesQuestions(size) }
}
