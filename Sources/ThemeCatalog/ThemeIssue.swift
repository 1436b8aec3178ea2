import Canvas

/// An error or warning about a theme file.
package struct ThemeIssue: Sendable, Hashable, Error, CustomStringConvertible {
  /// The severity of an issue.
  package enum Severity: String, Sendable, Hashable {
    /// The theme can be used without the wrong part.
    case warning
    /// The theme cannot be used.
    case error
  }

  /// The file as named by the caller.
  package let file: String
  /// The line, from 1; nil for an issue of the whole file.
  package let line: Int?
  /// The severity.
  package let severity: Severity
  /// One sentence without a full stop; sanitised, since it may quote the file.
  package let message: String

  /// Creates an issue; `message` is sanitised here.
  package init(file: String, line: Int?, severity: Severity, message: String) {
    self.file = file
    self.line = line
    self.severity = severity
    self.message = sanitize(message)
  }

  /// One line in the form of compilers: file, line, severity, message.
  package var description: String {
    sanitize(file) + (line.map { ":\($0)" } ?? "") + ": \(severity.rawValue): " + message
  }
}
