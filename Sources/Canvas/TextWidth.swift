/// The number of columns that text takes on a terminal.
///
/// The widths are those of glibc's `wcwidth`, which ncurses uses; East Asian ambiguous characters
/// count as one column.
package enum TextWidth: Sendable {
  /// The columns of one scalar: 0, 1 or 2; nil if it is not printable (control or unassigned).
  package static func of(_ scalar: Unicode.Scalar) -> Int? {
    let value = scalar.value
    if value < 0x300 {
      if value >= 0x20 && value < 0x7F || value >= 0xA0 { return 1 }
      return value == 0 ? 0 : nil
    }
    let runs = WidthTable.runs
    let key = value << 2 | 3
    var low = 0
    var high = runs.count
    while low + 1 < high {
      let middle = (low + high) / 2
      if runs[middle] <= key { low = middle } else { high = middle }
    }
    let width = runs[low] & 3
    return width == 3 ? nil : Int(width)
  }

  /// The columns of `text` when it is drawn, that is after sanitising.
  package static func columns(_ text: String) -> Int {
    var columns = 0
    for glyph in Sanitized(text) { columns += glyph.columns }
    return columns
  }
}
