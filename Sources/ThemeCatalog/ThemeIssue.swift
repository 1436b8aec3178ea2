import Canvas

/// Something wrong in a theme file.
package struct ThemeIssue: Sendable, Hashable, Error, CustomStringConvertible {
  /// How bad an issue is.
  package enum Severity: String, Sendable, Hashable {
    /// The theme works without what is wrong.
    case warning
    /// The theme cannot be used.
    case error
  }

  /// The file as it was named to the reader.
  package let file: String
  /// The line in the file from 1; nil where the whole file is meant.
  package let line: Int?
  /// How bad it is.
  package let severity: Severity
  /// One sentence without a full stop, sanitised, since it may quote the file.
  package let message: String

  /// An issue; `message` is sanitised here.
  package init(file: String, line: Int?, severity: Severity, message: String) {
    self.file = file
    self.line = line
    self.severity = severity
    self.message = sanitize(message)
  }

  /// One line as compilers write it: file, line, severity, message.
  package var description: String {
    sanitize(file) + (line.map { ":\($0)" } ?? "") + ": \(severity.rawValue): " + message
  }
}
