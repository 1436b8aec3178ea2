/// The mapping of jobs to rows: one row each, or two for the first jobs, which are running and show
/// their package at work below.
struct ListRows: Sendable, Hashable {
  /// Number of jobs in the list.
  let jobs: Int
  /// Number of jobs, from the first on, with two rows.
  let doubled: Int

  init(jobs: Int, doubled: Int = 0) {
    self.jobs = jobs
    self.doubled = min(max(0, doubled), jobs)
  }

  /// Number of rows of the whole list.
  var count: Int { jobs + doubled }

  /// The first row of the job at `index`.
  func row(of index: Int) -> Int { index < doubled ? 2 * index : index + doubled }

  /// The job on a row, and whether the row is its second one.
  func job(at row: Int) -> (index: Int, isBelow: Bool) {
    row < 2 * doubled ? (row / 2, row % 2 == 1) : (row - doubled, false)
  }

  /// Number of rows of the job at `index`.
  func height(of index: Int) -> Int { index < doubled ? 2 : 1 }
}
