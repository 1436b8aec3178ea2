/// How long jobs that are over and cleaned up stay in the journal.
package struct JournalRetention: Sendable, Hashable {
  /// Days since a job ended.
  package var days: Int
  /// Jobs that are over; the last ended stay.
  package var jobs: Int
  /// Megabytes (1,000,000 bytes) of the journal's file that are in use.
  package var megabytes: Int

  /// What is kept; where nothing else is said, what an engine without settings keeps.
  ///
  /// - Parameters:
  ///   - days: Days since a job ended.
  ///   - jobs: Jobs that are over.
  ///   - megabytes: Megabytes of the journal's file that are in use.
  package init(days: Int = 400, jobs: Int = 50_000, megabytes: Int = 2000) {
    self.days = days
    self.jobs = jobs
    self.megabytes = megabytes
  }
}
