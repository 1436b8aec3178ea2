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

  /// The list's row in the window's first row.
  func top(_ lines: ListRows, rows: Int) -> Int {
    min(max(0, lines.row(of: index) - row), max(0, lines.count - rows))
  }

  /// Takes over what became of the list: a selected job that left gives the selection to the one
  /// that stands in its place.
  mutating func settle(in book: JobStore, _ kind: Screen.Kind, _ lines: ListRows, rows: Int) {
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
    row = min(row, room(lines, rows: rows), lines.row(of: index))
  }

  /// Moves the selection; the window follows when it would be left.
  mutating func move(by delta: Int, in list: JobOrder, _ lines: ListRows, rows: Int) {
    guard list.count > 0 else { return }
    go(to: min(max(0, index + delta), list.count - 1), in: list, lines, rows: rows)
  }

  /// Selects the job that is drawn on a row of the window; says whether there is one.
  mutating func select(
    row wanted: Int, in list: JobOrder, _ lines: ListRows, rows: Int
  ) -> Bool {
    let line = top(lines, rows: rows) + wanted
    guard wanted >= 0, wanted < rows, line < lines.count else { return false }
    let top = top(lines, rows: rows)
    index = lines.job(at: line).index
    selected = list[index]
    row = lines.row(of: index) - top
    return true
  }

  /// Selects a job of the list.
  mutating func select(
    _ id: JobID, in book: JobStore, _ kind: Screen.Kind, _ lines: ListRows, rows: Int
  ) {
    guard id != selected, let found = book.index(of: id, in: kind) else { return }
    go(to: found, in: book.list(kind), lines, rows: rows)
  }

  private mutating func go(to next: Int, in list: JobOrder, _ lines: ListRows, rows: Int) {
    let way = lines.row(of: next) - lines.row(of: min(index, max(0, lines.jobs - 1)))
    index = next
    selected = list[next]
    row = min(max(0, row + way), room(lines, rows: rows))
  }

  // The last row of the window that the selection can have with all of its rows in sight.
  private func room(_ lines: ListRows, rows: Int) -> Int {
    max(0, rows - (index < lines.jobs ? lines.height(of: index) : 1))
  }
}
