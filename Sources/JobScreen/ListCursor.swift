import InstallJobs

/// The selection in a list of jobs, bound to a job and never to a row.
///
/// So it survives sorting, updates and resizing; the row on the screen stays where it was while rows
/// move around it.
struct ListCursor: Sendable, Hashable {
  /// The selected job; nil only in an empty list.
  private(set) var selected: JobID?
  // Where the selection was last seen in the list, for when its job leaves.
  private var index = 0
  // Rows between the top of the window and the selection.
  private var row = 0

  init() {}

  /// The list index of the window's first row.
  func top(rows: Int, count: Int) -> Int {
    min(max(0, index - row), max(0, count - rows))
  }

  /// Takes over what became of the list: a selected job that left gives the selection to the one
  /// that stands in its place.
  mutating func settle(in book: JobBook, _ kind: Screen.Kind, rows: Int) {
    let list = book.list(kind)
    guard list.count > 0 else {
      self = ListCursor()
      return
    }
    if let selected, let found = book.index(of: selected, in: kind) {
      index = found
    } else {
      index = min(index, list.count - 1)
      selected = list[index]
    }
    row = min(row, max(0, rows - 1), index)
  }

  /// Moves the selection; the window follows when it would be left.
  mutating func move(by delta: Int, in list: JobOrder, rows: Int) {
    guard list.count > 0 else { return }
    let next = min(max(0, index + delta), list.count - 1)
    row = min(max(0, row + next - index), max(0, rows - 1))
    index = next
    selected = list[next]
  }

  /// Selects a job of the list.
  mutating func select(_ id: JobID, in book: JobBook, _ kind: Screen.Kind, rows: Int) {
    guard id != selected, let found = book.index(of: id, in: kind) else { return }
    row = min(max(0, row + found - index), max(0, rows - 1))
    (selected, index) = (id, found)
  }
}
