import Synchronization

/// One call of a job's callback.
///
/// Work that a callback leaves behind may outlive the call: what the call forbids, it forbids only
/// while it runs.
final class CallbackCall: Sendable {
  /// The job whose callback it is.
  let job: JobID
  /// The journal that the job's number belongs to.
  let journal: String
  private let hasReturned = Atomic(false)

  init(of job: JobID, in journal: String) {
    self.job = job
    self.journal = journal
  }

  /// Whether the callback has not returned yet.
  var isRunning: Bool { !hasReturned.load(ordering: .acquiring) }

  /// Notes that the callback has returned.
  func end() { hasReturned.store(true, ordering: .releasing) }
}
