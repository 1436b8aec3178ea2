/// Limits on the ended and cleaned-up jobs in the journal.
///
/// A job beyond any limit is removed.
package struct JournalRetention: Sendable, Hashable {
  /// Largest number of days since the end of a job.
  package var days: Int
  /// Largest number of ended jobs; the jobs that ended last are kept.
  package var jobs: Int
  /// Largest used size of the journal's file, in megabytes (1,000,000 bytes).
  package var megabytes: Int

  /// Creates limits.
  ///
  /// The defaults are the limits of an engine without settings.
  ///
  /// - Parameters:
  ///   - days: Largest number of days since the end of a job.
  ///   - jobs: Largest number of ended jobs.
  ///   - megabytes: Largest used size of the journal's file, in megabytes.
  package init(days: Int = 400, jobs: Int = 50_000, megabytes: Int = 2000) {
    self.days = days
    self.jobs = jobs
    self.megabytes = megabytes
  }
}
