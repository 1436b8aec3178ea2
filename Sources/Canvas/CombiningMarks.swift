/// The combining marks on one base character, at most four, as in a cell of ncurses.
///
/// The marks are stored inline, so that a canvas is contiguous memory that is fast to copy and
/// compare.
package struct CombiningMarks: Sendable, Hashable {
  /// Maximum number of marks.
  package static let capacity = 4

  // 0 marks a free place; it is never a combining mark.
  private var values = SIMD4<UInt32>()

  /// The first ``capacity`` marks of a sequence.
  package init(_ marks: some Sequence<Unicode.Scalar> = []) {
    for mark in marks { append(mark) }
  }

  /// Adds a mark; ignores it if all places are taken.
  package mutating func append(_ mark: Unicode.Scalar) {
    let count = count
    if count < Self.capacity { values[count] = mark.value }
  }
}

extension CombiningMarks: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int {
    values[0] == 0 ? 0 : values[1] == 0 ? 1 : values[2] == 0 ? 2 : values[3] == 0 ? 3 : 4
  }

  package subscript(index: Int) -> Unicode.Scalar {
    precondition(index < endIndex, "no such mark")
    return Unicode.Scalar(values[index]) ?? "\u{FFFD}"
  }
}

extension CombiningMarks: ExpressibleByArrayLiteral {
  package init(arrayLiteral marks: Unicode.Scalar...) { self.init(marks) }
}
