/// The sign of cut text.
package enum TruncationMarker: Unicode.Scalar, Sendable, Hashable {
  case ellipsis = "…"
  case tilde = "~"
}

/// `text`, sanitised and cut to at most `columns` columns; after a cut, its last column is the
/// marker.
package func truncated(
  _ text: String, to columns: Int, marker: TruncationMarker = .ellipsis
) -> String {
  guard columns > 0 else { return "" }
  var whole = String.UnicodeScalarView()
  var used = 0
  // Number of scalars to remove to make room for the marker.
  var beyond = 0
  for glyph in Sanitized(text) {
    if used + glyph.columns > columns {
      whole.removeLast(beyond)
      whole.append(marker.rawValue)
      return String(whole)
    }
    whole.append(glyph.base)
    whole.append(contentsOf: glyph.marks)
    used += glyph.columns
    beyond = used < columns ? 0 : beyond + 1 + glyph.marks.count
  }
  return String(whole)
}

/// `text`, sanitised, and cut or padded with spaces to exactly `columns` columns.
package func padded(
  _ text: String, to columns: Int, alignment: Alignment = .left,
  marker: TruncationMarker = .ellipsis
) -> String {
  let shown = truncated(text, to: columns, marker: marker)
  let spare = max(0, columns - TextWidth.columns(shown))
  let before =
    switch alignment {
    case .left: 0
    case .right: spare
    case .center: spare / 2
    }
  return String(repeating: " ", count: before) + shown
    + String(repeating: " ", count: spare - before)
}
