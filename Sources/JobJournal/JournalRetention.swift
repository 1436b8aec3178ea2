/// How long jobs that are over and cleaned up stay in the journal.
package struct JournalRetention: Sendable, Hashable {
  /// Days since a job ended.
  package var days: Int
  /// Jobs that are over; the last ended stay.
  package var jobs: Int
  /// Megabytes (1,000,000 bytes) of the journal's file that are in use.
  package var megabytes: Int

  package init(days: Int = 400, jobs: Int = 50_000, megabytes: Int = 2000) {
    self.days = days
    self.jobs = jobs
    self.megabytes = megabytes
  }
}

/// What one step of removing old jobs has done.
package struct RetentionStep: Sendable, Hashable {
  /// Jobs that are not in the journal any more, and whose folders are of no use.
  package var removed: [Int] = []
  /// Whether another step has something to do.
  package var hasMore = false

  package init() {}
}
