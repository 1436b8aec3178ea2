/// Finds the end of an escape sequence of ECMA-48.
enum EscapeSequence: Sendable {
  typealias Scalars = String.UnicodeScalarView

  /// A longer sequence counts as text.
  ///
  /// The limits bound how much text a sequence can hide, and how long the search takes.
  private static let parametersAtMost = 64
  private static let stringAtMost = 4_096

  /// The index after the complete sequence that begins with `introducer` and continues at `index`.
  ///
  /// Nil if `introducer` begins no sequence, or if the sequence is incomplete.
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

  /// The index after the parameters, intermediates and final byte of a control sequence.
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

  /// The index after the terminator of a command string: BEL, ST, or ESC with a backslash.
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
