import InstallJobs

/// The selection in a list of jobs, bound to a job and not to a row.
///
/// The selection survives sorting, updates and resizing. Its row on the screen stays the same while
/// other rows move around it.
struct ListCursor: Sendable, Hashable {
  /// The selected job; nil only in an empty list.
  private(set) var selected: JobID?
  // The last known index of the selection, used when its job leaves the list.
  private var index = 0
  // Number of rows between the top of the window and the selection.
  private var row = 0

  init() {}

  /// The list's row in the first row of the window.
  func top(_ lines: ListRows, rows: Int) -> Int {
    min(max(0, lines.row(of: index) - row), max(0, lines.count - rows))
  }

  /// Adjusts the selection to the changed list.
  ///
  /// If the selected job left the list, the job now at its index is selected.
  mutating func adjust(in book: JobStore, _ kind: Screen.Kind, _ lines: ListRows, rows: Int) {
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

  /// Moves the selection; the window scrolls if the selection would leave it.
  mutating func move(by delta: Int, in list: JobOrder, _ lines: ListRows, rows: Int) {
    guard list.count > 0 else { return }
    go(to: min(max(0, index + delta), list.count - 1), in: list, lines, rows: rows)
  }

  /// Selects the job in a row of the window; returns whether that row has a job.
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

  // The last row of the window in which all rows of the selected job are visible.
  private func room(_ lines: ListRows, rows: Int) -> Int {
    max(0, rows - (index < lines.jobs ? lines.height(of: index) : 1))
  }
}
