/// How the jobs of a list lie on rows: one each, or two for the first ones, which are at work and
/// show the package they work on below them.
struct ListRows: Sendable, Hashable {
  /// Jobs in the list.
  let jobs: Int
  /// How many of them, from the first on, take two rows.
  let doubled: Int

  init(jobs: Int, doubled: Int = 0) {
    self.jobs = jobs
    self.doubled = min(max(0, doubled), jobs)
  }

  /// Rows of the whole list.
  var count: Int { jobs + doubled }

  /// The row of the job at `index`.
  func row(of index: Int) -> Int { index < doubled ? 2 * index : index + doubled }

  /// The job on a row, and whether the row is the one below it.
  func job(at row: Int) -> (index: Int, isBelow: Bool) {
    row < 2 * doubled ? (row / 2, row % 2 == 1) : (row - doubled, false)
  }

  /// Rows that the job at `index` takes.
  func height(of index: Int) -> Int { index < doubled ? 2 : 1 }
}
