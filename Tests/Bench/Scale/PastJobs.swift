internal import InstallJobs
internal import JobJournal

/// A history of jobs that succeeded, written into a journal as an engine would have.
///
/// Each job has one package and four durable events, all in few transactions, so that a hundred
/// thousand take seconds and not an hour.
struct PastJobs: Sendable {
  private let journal: Journal
  private static let noon = Timestamp(milliseconds: 1_767_268_800_000)
  /// Jobs in a transaction.
  private static let chunk = 500

  /// Opens or makes the journal of a state folder that no engine uses.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be opened.
  init(inState folder: String) throws(CannotMeasure) {
    do {
      journal = try Journal.open(at: folder + "/journal.sqlite")
    } catch {
      throw CannotMeasure(error.message, hint: error.hint)
    }
  }

  /// Adds jobs until there are so many.
  ///
  /// - Throws: `journal`; `CancellationError`.
  func grow(to count: Int) throws {
    var there = try journal.count(includingCleanedUp: true)
    while there < count {
      try Task.checkCancellation()
      let more = min(Self.chunk, count - there)
      let time = Self.noon.advanced(bySeconds: Double(there))
      let jobs = try journal.submit(
        (there..<there + more).map { Self.proposal($0) }, at: time
      ).map(\.snapshot)
      _ = try journal.append(jobs.flatMap { Self.course(of: $0) }, at: time)
      there += more
    }
  }

  /// Closes the journal, for an engine to open it.
  ///
  /// - Throws: `journal`.
  func close() throws { try journal.close() }

  private static func proposal(_ number: Int) -> JobProposal {
    let update = Update(IdleJobs.packages[number % IdleJobs.packages.count])
    let step = PlannedUpdate(
      name: update.name, architecture: "amd64", action: .reinstall, fromVersion: "1",
      toVersion: "1", downloadSize: 1, installedSize: 1, requested: true)
    var options = InstallationOptions()
    options.clientName = "fettle-bench"
    return JobProposal(
      JobRequest(.reinstall, [update], options: options),
      plan: JobPlan(requests: [JobPlan.Request(update: update, step: 0)], steps: [step]),
      requestedBy: Requester(uid: 0, user: "root"), provider: "simulated")
  }

  private static func course(of job: JobSnapshot) -> [EventDraft] {
    var status = job.updates[0]
    status.phase = .done
    status.percentComplete = 100
    status.resultCode = .succeeded
    let outcome = JobOutcome(
      state: .completed, resultCode: .succeeded, percentComplete: 100, error: nil,
      requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [], updates: [status])
    return [
      EventDraft(
        job.id, .state(JobStateChange(.installing, abortPreview: .alreadyCompleted))),
      EventDraft(job.id, .update(index: 0, status: status)),
      EventDraft(job.id, .completed(outcome)),
    ]
  }
}
