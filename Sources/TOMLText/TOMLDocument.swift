internal import TOMLKit

/// Why a text is not a document: it is not TOML, or has a value that this program does not use.
package struct TOMLFault: Error, Sendable, Hashable {
  /// The line, from 1; nil when unknown.
  package var line: Int?
  /// The key on that line with its tables, if there is one.
  package var path: [String]?
  /// What is wrong, in one line without a full stop.
  package var problem: String
}

/// A parsed TOML text: its values, independent of the parser, and the line of each key.
package struct TOMLDocument: Sendable {
  /// The values at the top level.
  package let root: [String: TOMLValue]
  private let lines: TOMLLines

  /// Parses a text.
  ///
  /// - Throws: ``TOMLFault`` with the line when the text is not TOML.
  package init(_ text: String) throws(TOMLFault) {
    lines = TOMLLines(text)
    do {
      root = TOMLValue.values(of: try TOMLTable(string: try TOMLText.parsable(text)))
    } catch let refusal as TOMLText.Refusal {
      throw TOMLFault(
        line: refusal.line, path: lines.path(at: refusal.line), problem: refusal.problem)
    } catch let error as TOMLParseError {
      throw TOMLFault(line: error.source.begin.line, problem: error.description)
    } catch {
      throw TOMLFault(problem: "not a TOML file")
    }
  }

  /// Returns the line of a key or table, from 1, or else of the nearest table around it.
  ///
  /// - Parameter path: The tables and the key. The n-th table of `[[name]]` is `name[n]`, from 0.
  /// - Returns: The line; nil for an unknown key at the top level.
  package func line(of path: [String]) -> Int? { lines.nearest(to: path) }

  /// The problem of a key that the reader of the file does not know.
  ///
  /// - Parameters:
  ///   - known: The keys that are known in its place.
  ///   - isIgnored: Whether the file is used without the key.
  /// - Returns: The problem in one line without a full stop.
  package static func unknownKey(known: [String], isIgnored: Bool) -> String {
    "unknown key" + (isIgnored ? ", ignored" : "") + " (known here: "
      + known.joined(separator: ", ") + ")"
  }
}
