package import InstallJobs

/// One request for the recording of a job.
///
/// What comes of it carries it, so that nothing of an earlier request is taken for it, not even of
/// the same job.
package struct RecordingRequest: Sendable, Hashable {
  /// The job.
  package let job: JobID
  /// Which request it is of this monitor, from 1 on.
  package let number: Int

  package init(_ job: JobID, number: Int) { (self.job, self.number) = (job, number) }
}
