package import InstallJobs

/// A request for the recording of a job.
///
/// Every reply carries its request, so that a reply to an earlier request, even for the same job,
/// is recognised and ignored.
package struct RecordingRequest: Sendable, Hashable {
  /// The job.
  package let job: JobID
  /// The sequence number of the request in this monitor, from 1.
  package let number: Int

  package init(_ job: JobID, number: Int) { (self.job, self.number) = (job, number) }
}
