/// Finds where an escape sequence of ECMA-48 ends.
enum EscapeSequence: Sendable {
  typealias Scalars = String.UnicodeScalarView

  /// Longer ones count as text, so that a hostile text can neither hide much nor cost much.
  private static let parametersAtMost = 64
  private static let stringAtMost = 4_096

  /// The index past the complete sequence that `introducer` opens and that goes on at `index`.
  ///
  /// Nil when it opens none or the sequence is not complete.
  static func end(
    of introducer: Unicode.Scalar, before index: Scalars.Index, in scalars: Scalars
  ) -> Scalars.Index? {
    switch introducer.value {
    case 0x9B: return controlEnd(from: index, in: scalars)
    case 0x90, 0x98, 0x9D, 0x9E, 0x9F: return stringEnd(from: index, in: scalars)
    case 0x1B: break
    default: return nil
    }
    guard index != scalars.endIndex else { return nil }
    let next = scalars.index(after: index)
    switch scalars[index] {
    case "[": return controlEnd(from: next, in: scalars)
    case "]", "P", "X", "^", "_": return stringEnd(from: next, in: scalars)
    case "\u{20}"..."\u{2F}":
      guard next != scalars.endIndex, (0x30...0x7E).contains(scalars[next].value) else {
        return nil
      }
      return scalars.index(after: next)
    case "\u{30}"..."\u{7E}": return next
    default: return nil
    }
  }

  /// Past parameters, intermediates and the final byte of a control sequence.
  private static func controlEnd(from start: Scalars.Index, in scalars: Scalars) -> Scalars.Index? {
    var index = start
    var inIntermediates = false
    for _ in 0..<parametersAtMost where index != scalars.endIndex {
      let value = scalars[index].value
      scalars.formIndex(after: &index)
      switch value {
      case 0x40...0x7E: return index
      case 0x30...0x3F where !inIntermediates: break
      case 0x20...0x2F: inIntermediates = true
      default: return nil
      }
    }
    return nil
  }

  /// Past the terminator of a command string: BEL, ST, or ESC with a backslash.
  private static func stringEnd(from start: Scalars.Index, in scalars: Scalars) -> Scalars.Index? {
    var index = start
    for _ in 0..<stringAtMost where index != scalars.endIndex {
      let value = scalars[index].value
      scalars.formIndex(after: &index)
      switch value {
      case 0x07, 0x9C:
        return index
      case 0x1B:
        guard index != scalars.endIndex, scalars[index] == "\\" else { return nil }
        return scalars.index(after: index)
      case 0x0A, 0x0D:
        return nil
      default:
        break
      }
    }
    return nil
  }
}
