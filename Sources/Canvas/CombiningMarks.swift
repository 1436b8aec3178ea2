/// The combining marks on one base, at most four: as many as a cell of ncurses holds beside it.
///
/// Held in place, so that a canvas is plain memory that is copied and compared as a whole.
package struct CombiningMarks: Sendable, Hashable {
  /// The most that there can be.
  package static let capacity = 4

  // 0, which is never a mark, where there is none.
  private var values = SIMD4<UInt32>()

  /// The first ``capacity`` of some marks.
  package init(_ marks: some Sequence<Unicode.Scalar> = []) {
    for mark in marks { append(mark) }
  }

  /// Adds a mark where there is room.
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
