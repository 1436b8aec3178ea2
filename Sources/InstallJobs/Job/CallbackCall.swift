import Synchronization

/// One call of a job's callback.
///
/// Tasks that a callback starts may outlive the call; the restrictions of a callback apply to them
/// only while the call is running.
final class CallbackCall: Sendable {
  /// The job of the callback.
  let job: JobID
  /// The name of the journal to which the job's number belongs.
  let journal: String
  private let hasReturned = Atomic(false)

  init(of job: JobID, in journal: String) {
    self.job = job
    self.journal = journal
  }

  /// Whether the callback has not returned yet.
  var isRunning: Bool { !hasReturned.load(ordering: .acquiring) }

  /// Marks the call as returned.
  func end() { hasReturned.store(true, ordering: .releasing) }
}
