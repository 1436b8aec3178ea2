import InstallJobs
import JobJournal

/// Checks of retries.
///
/// A job can be retried once; the rest of a failed retry is done by a retry of that retry.
extension Engine {
  /// Refuses the second retry of a job, and the retry of a job that is not over.
  ///
  /// - Throws: `invalidState`, naming the retry that exists; `unknownJob`; `journal`.
  func refuseIfRetried(_ request: JobRequest) throws(InstallationError) {
    guard let id = request.options.retryOf else { return }
    _ = try journal.job(id, withPlan: false)
    guard isOver(id) else {
      throw InstallationError(
        .invalidState, "cannot retry job \(id): it is not over",
        hint: "wait for its end with 'fettle watch \(id) --until-end', or abort it")
    }
    guard let retry = try journal.newestRetry(of: id) else { return }
    let (what, next) = Self.words(of: retry)
    throw InstallationError(
      .invalidState, "cannot retry job \(id) again: it was retried as job \(retry.id), \(what)",
      class: .fatal, hint: next)
  }

  /// The state of an existing retry, and the next command for the user.
  private static func words(of job: JobSnapshot) -> (what: String, next: String) {
    guard job.state.isFinal else {
      let what = job.state == .queued ? "which waits in the queue" : "which is at work"
      return (what, "'fettle watch \(job.id)' follows it")
    }
    let retry = "'fettle retry \(job.id)' submits what that one left"
    if job.state == .interrupted { return ("which was interrupted", retry) }
    return switch job.resultCode {
    case .succeeded: ("which succeeded", "'fettle show \(job.id)' lists what it did")
    case .succeededWithErrors: ("which succeeded with errors", retry)
    case .aborted: ("which was aborted", retry)
    case .failed, .notStarted, .inProgress: ("which failed", retry)
    }
  }
}
