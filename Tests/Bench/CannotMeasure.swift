/// Why a section gives no figures: what happened, to what, and what to do next.
package struct CannotMeasure: Error, Sendable, Hashable, CustomStringConvertible {
  /// What happened and to what, in one line without a full stop.
  package var message: String
  /// What to do next, in one line; nil where there is nothing to do.
  package var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  /// The message, followed by the next step in parentheses.
  package var description: String {
    if let hint { "\(message) (\(hint))" } else { message }
  }
}
