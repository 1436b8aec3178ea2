/// The content of one cell, or two: a printable base character with at most four combining marks.
package struct Glyph: Sendable, Hashable {
  /// The base character.
  package let base: Unicode.Scalar
  /// The combining marks in their order.
  package let marks: CombiningMarks
  /// Number of columns: 1 or 2.
  package let columns: Int

  /// The replacement for characters that must not reach a terminal.
  package static let replacement = Glyph(base: "\u{FFFD}", marks: [], columns: 1)
  /// The content of empty cells.
  package static let space = Glyph(base: " ", marks: [], columns: 1)
}

/// Untrusted text as a sequence of glyphs that are safe to show.
///
/// - A tab or a line end becomes one space.
/// - Complete escape sequences are removed. Other control characters (C0, C1, DEL), bidirectional
///   controls, unassigned scalars and blanks with a width of their own become `Glyph.replacement`.
/// - Joiners, variation selectors, tags, skin tones after a base and other invisible scalars are
///   removed, so that each remaining scalar has the width given by `TextWidth`.
/// - Combining marks after the fourth are removed; a mark or a skin tone without a base is
///   replaced.
package struct Sanitized: Sequence, Sendable {
  private let text: String

  /// The glyphs of `text`.
  package init(_ text: String) { self.text = text }

  /// The glyphs of UTF-8 bytes; invalid sequences are replaced.
  package init(utf8 bytes: some Collection<UInt8>) {
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The glyphs in reading order.
  package func makeIterator() -> Glyphs { Glyphs(text) }

  /// The safe text as one string.
  package var string: String {
    var scalars = String.UnicodeScalarView()
    for glyph in self {
      scalars.append(glyph.base)
      scalars.append(contentsOf: glyph.marks)
    }
    return String(scalars)
  }
}

/// `text` without characters that must not reach a terminal; they are removed or replaced.
package func sanitize(_ text: String) -> String { Sanitized(text).string }

/// An iterator over the glyphs of a text.
package struct Glyphs: IteratorProtocol, Sendable {
  private let scalars: String.UnicodeScalarView
  private var index: String.UnicodeScalarView.Index
  private let end: String.UnicodeScalarView.Index

  fileprivate init(_ text: String) {
    scalars = text.unicodeScalars
    index = scalars.startIndex
    end = scalars.endIndex
  }

  /// The next glyph; nil at the end of the text.
  package mutating func next() -> Glyph? {
    while index != end {
      let scalar = scalars[index]
      scalars.formIndex(after: &index)
      switch Treatment(scalar) {
      case .base(let columns):
        return Glyph(base: scalar, marks: marks(), columns: columns)
      case .space:
        if scalar == "\r", index != end, scalars[index] == "\n" {
          scalars.formIndex(after: &index)
        }
        return .space
      case .dropped:
        continue
      case .mark, .tone, .replaced:
        _ = marks()
        return .replacement
      case .control:
        guard let past = EscapeSequence.end(of: scalar, before: index, in: scalars) else {
          return .replacement
        }
        index = past
      }
    }
    return nil
  }

  /// Reads the marks after a base.
  private mutating func marks() -> CombiningMarks {
    var marks: CombiningMarks = []
    while index != end {
      let scalar = scalars[index]
      if scalar.value < 0x300 { break }
      switch Treatment(scalar) {
      case .mark:
        marks.append(scalar)
      case .dropped, .tone:
        break
      default:
        return marks
      }
      scalars.formIndex(after: &index)
    }
    return marks
  }
}

/// The treatment of one scalar.
private enum Treatment {
  case base(columns: Int)
  case mark
  case tone
  case space
  case dropped
  case replaced
  case control

  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x20...0x7E: self = .base(columns: 1)
    case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: self = .space
    case 0x00...0x1F, 0x7F...0x9F: self = .control
    // Bidirectional controls reorder the text beside them.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: self = .replaced
    // Fillers are blanks as wide as a letter; annotations change the text after them.
    case 0x115F, 0x1160, 0x3164, 0xFFA0, 0xFFF9...0xFFFB: self = .replaced
    // Skin tones: terminals join them to the glyph before, whatever lies between.
    case 0x1F3FB...0x1F3FF: self = .tone
    // Invisible scalars: soft hyphen, joiners, selectors, tags.
    case 0xAD, 0x034F, 0x17B4, 0x17B5, 0x180B...0x180F, 0x200B...0x200D, 0x2060...0x2065,
      0x206A...0x206F, 0xFE00...0xFE0F, 0xFEFF, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A,
      0xE0000...0xE0FFF:
      self = .dropped
    default:
      switch TextWidth.of(scalar) {
      case nil: self = .replaced
      case 0: self = .mark
      case let columns?: self = .base(columns: columns)
      }
    }
  }
}
