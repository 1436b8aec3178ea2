package import InstallJobs
package import PackageProvider

/// The life of one job as a pure value: inputs in, actions out; no clock, no I/O, no `async`.
///
/// The owner performs the actions in their order, and feeds what comes of them back as inputs.
/// Everything that races in real life is an order of inputs here. An input that the present state
/// has no place for throws ``InvalidTransition`` and changes nothing.
package struct JobMachine: Sendable {
  /// What the job is doing, with what only matters while it does it.
  package enum State: Sendable, Hashable {
    case queued
    /// It waits, and its turn is passed over until somebody lets it go on.
    case held
    /// It is its turn; the provider was asked to start the work.
    case starting
    case working(WorkStage, Intention)
    /// The work stopped between two packages, to be resumed.
    case suspended
    /// The work is over (nil: it vanished); the package database is being read.
    case verifying(WorkEnd?)
    case ended
  }

  /// What the running work was asked for.
  package enum Intention: Sendable, Hashable {
    case goOn
    /// To stop for good; `step` is the last one, nil when nothing is changed any more.
    case abort(after: Int?)
    /// To stop and be resumed.
    case suspend(after: Int?)
  }

  /// What happens to a job.
  package enum Input: Sendable, Hashable {
    /// The queue gives the job its turn.
    case begin
    case started
    case startFailed(InstallationError)
    /// Steps that the machine satisfied before the work began: they are left out.
    case satisfied(Set<Int>)
    /// What the work reports, and what it would answer a request to stop right after.
    case reports([WorkReport], preview: StopAnswer? = nil)
    /// Somebody asks for an abort.
    case abort(by: Requester)
    /// The work's answer to a request to stop for good.
    case abortAnswered(StopAnswer, by: Requester)
    case withdrawAbort(by: Requester)
    /// Whether the work took the request back in time.
    case withdrawAnswered(Bool, by: Requester)
    /// Somebody wants it held.
    case suspend(by: Requester)
    /// The work's answer to a request to stop and be resumed.
    case suspendAnswered(StopAnswer, by: Requester)
    case resume
    /// Somebody gives it another priority while it waits.
    case prioritize(Int, by: Requester)
    /// What the package database says; the restart marker before (nil: unknown) and after the work.
    case verified(Verification, before: RebootMarker?, after: RebootMarker)
    /// Of a job that only fetches: what was found of each archive of the plan.
    case archivesChecked([Int: ArchiveFinding])
    /// What is done for it while it waits, in words; nil when that is over. And how many bytes of its
    /// archives are there.
    case ahead(String?, fetched: Int64 = 0)
    /// No sign of life for longer than the threshold.
    case silence(StallCause?)
    case cleanUp(by: Requester)
    /// Time has gone by without a report; false where the clock was set meanwhile.
    case lapse(isClockSound: Bool)
  }

  /// What the owner has to do.
  package enum Action: Sendable, Hashable {
    /// Store and publish a durable event.
    case record(JobEvent.Payload)
    /// Publish an event that is not stored.
    case publish(JobEvent.Payload)
    /// Have the provider start the work, leaving out what is finished.
    case startWork(finishedSteps: Set<Int>)
    /// Ask the work to stop, and feed the answer back.
    case askStop(StopRequest)
    /// Have the work take the request back, and feed the answer back.
    case takeStopBack(by: Requester)
    /// Answer the caller.
    case answer(AbortDisposition)
    /// Refuse the caller.
    case refuse(InstallationError)
    /// Read the package database, or check the archives of a job that only fetches, and feed what that says
    /// back.
    case verify
    /// The job is over: the next one may start.
    case leaveQueue
    /// Remove archives and work files.
    case releaseFiles
    /// Keep how long the stages took, for the estimates of later jobs.
    case learn([Stopwatch.Lap])
  }

  /// Who has a job held, and since when.
  struct Hold: Sendable, Hashable {
    var by: Requester
    var since: Timestamp
  }

  /// An input without a place in the present state: a fault of the owner, never of a user.
  package struct InvalidTransition: Error, CustomStringConvertible {
    package let state: State
    package let input: Input
    package var description: String { "no transition from \(state) on \(input)" }
  }

  /// The plan that is carried out.
  package let plan: JobPlan
  /// The machine's boot id, for the check after a restart; nil where it is unknown (row D20).
  let bootID: String?
  package private(set) var state: State
  /// The job as everybody sees it, with its plan.
  package internal(set) var snapshot: JobSnapshot
  /// The last sign of life of work that vanished.
  var lastSign: Timestamp?
  /// When this engine took it over from one that is gone; nil for a job that it took in itself.
  var recoveredAt: Timestamp?
  var model: ProgressModel
  /// Steps that moved since the last tick.
  var moved: Set<Int> = []
  var rate = TransferRate()
  /// What the work was asked for and has not answered yet.
  var unanswered: StopRequest?
  /// When the abort was asked for that the work has not answered yet; the first of several.
  var abortAskedAt: Timestamp?
  /// When it was answered, where it is recorded later than that.
  var abortAnsweredAt: Timestamp?
  /// When the job was asked to be held that is not held yet; the first of several.
  var holdAskedAt: Timestamp?
  /// Whether it was found with its work over and not verified.
  var wasFinalizing = false
  /// What the work said last it would answer a request to stop.
  var stopPreview: StopAnswer?
  /// When the present input came.
  var now: Timestamp?
  /// How long each stage takes.
  var stopwatch = Stopwatch()
  /// Whether it cannot be told since when the present stage goes on: the clock was set.
  var isAgeUnknown = false
  /// Whether the work has had the package lock: until then none of its own tools can have changed a
  /// package.
  var hasHadLock = false
  /// Whether the worker is gone, and what still runs is waited for.
  var isAbandoned = false
  /// The step whose present phase measures itself.
  var gaugedStep: Int?
  /// What the stages of packages whose time was taken were estimated to take, in seconds.
  var expectedSeconds = 0.0
  /// Facts that the work reported and that an end without success mentions, at most eight.
  var remarks: [String] = []
  /// Whether the work was begun before the machine's last start: its end came with the machine's.
  var wasCutByRestart = false
  /// Who has the job held, or will have at the next package; nil where nobody has, or nobody told.
  var hold: Hold?

  /// A job that has just been accepted.
  package init(_ snapshot: JobSnapshot, plan: JobPlan, bootID: String? = nil) {
    self.init(snapshot, plan: plan, bootID: bootID, state: .queued)
  }

  init(_ snapshot: JobSnapshot, plan: JobPlan, bootID: String?, state: State) {
    self.snapshot = snapshot
    self.plan = plan
    self.bootID = bootID
    self.state = state
    model = ProgressModel(plan, isDownloadOnly: snapshot.options.isDownloadOnly)
  }

  /// Takes one input.
  ///
  /// - Parameters:
  ///   - input: What happened.
  ///   - time: When it happened; stands in the events.
  /// - Returns: What the owner has to do, in order.
  /// - Throws: ``InvalidTransition``, with nothing changed.
  package mutating func handle(_ input: Input, at time: Timestamp) throws(InvalidTransition)
    -> [Action]
  {
    now = time
    switch (state, input) {
    // A repair has work without steps, too: what dpkg noted of packages that are gone.
    case (.queued, .begin) where plan.steps.isEmpty && snapshot.operation != .repair:
      state = .verifying(WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
      return [recordState(at: time), .verify]
    case (.queued, .begin):
      snapshot.activity = nil
      state = .starting
      return [.startWork(finishedSteps: [])]
    case (.queued, .ahead(let words, let bytes)), (.held, .ahead(let words, let bytes)):
      snapshot.activity = words
      snapshot.downloadedBytes = max(snapshot.downloadedBytes, bytes)
      return [.publish(.progress(tick(at: nil)))]
    case (_, .ahead):
      return []
    case (.starting, .started):
      // What earlier work was asked for, this work was not.
      unanswered = nil
      isAbandoned = false
      wasCutByRestart = false
      let stage = hasBegunPackages ? .installing : firstStage
      state = .working(stage, .goOn)
      stopwatch.enter(stage, at: time)
      return [recordState(at: time)]
    case (.starting, .startFailed(let error)) where snapshot.startedAt == nil:
      return end(failedToStart: error, at: time)
    case (.starting, .startFailed(let error)):
      // A resumed job has done a part already: what that is, the package database says.
      let exitStatus = snapshot.exitStatus ?? 0
      state = .verifying(
        WorkEnd(exitStatus: exitStatus, stoppedAtBoundary: true, error: error))
      return [recordState(at: time), .verify]
    case (.working, .satisfied(let steps)):
      return noteSatisfied(steps, at: time)
    case (_, .satisfied):
      return []
    case (.working, .reports(let reports, let preview)):
      stopPreview = preview ?? stopPreview
      return apply(reports, at: time)
    case (.working, .silence(let cause)):
      guard !snapshot.isStalled || snapshot.stall != cause else { return [] }
      snapshot.isStalled = true
      snapshot.stall = cause
      return [.publish(.progress(tick(at: snapshot.lastActivityAt)))]

    case (.queued, .abort(let requester)), (.held, .abort(let requester)):
      return accept(.accepted(stopsAfter: nil), by: requester, at: time) + endUnstarted(at: time)
    case (.suspended, .abort(let requester)):
      return abortSuspended(.accepted(stopsAfter: nil), by: requester, at: time)
    case (.working(_, .abort), .abort(let requester)):
      return repeatAbort(by: requester, at: time)
    case (.verifying, .abort(let requester)) where hasAcceptedAbort:
      return repeatAbort(by: requester, at: time)
    case (.working, .abort(let requester)):
      unanswered = .abort(by: requester)
      abortAskedAt = abortAskedAt ?? time
      return [.askStop(.abort(by: requester))]
    case (.verifying, .abort):
      return [
        .answer(.refused(reason: AbortRefusal(.verifying, "the result is being verified")))
      ]
    case (.ended, .abort):
      return [.answer(.alreadyCompleted)]

    case (.working(let stage, let intention), .abortAnswered(let answer, let requester)):
      unanswered = nil
      return handle(answer, stage: stage, intention: intention, by: requester, at: time)
    case (.suspended, .abortAnswered(let answer, let requester)):
      // The work stopped for this request before its answer was heard.
      return abortSuspended(accepted(answer), by: requester, at: time)
    case (.verifying, .abortAnswered(_, let requester)) where hasAcceptedAbort:
      guard unanswered != nil else { return repeatAbort(by: requester, at: time) }
      // The work stopped for this request before its answer was heard; it is on record.
      unanswered = nil
      return [.answer(snapshot.abort?.disposition ?? abortPreview)]
    case (.verifying(let end?), .abortAnswered(let answer, let requester))
    where end.stoppedAtBoundary && answer.isStop:
      return accept(accepted(answer), by: requester, at: time)
    case (.verifying, .abortAnswered):
      return [
        .answer(.refused(reason: AbortRefusal(.verifying, "the result is being verified")))
      ]
    case (.ended, .abortAnswered):
      return [.answer(.alreadyCompleted)]

    case (.working(_, .abort), .withdrawAbort(let requester)):
      return [.takeStopBack(by: requester)]
    case (_, .withdrawAbort):
      return [.refuse(Self.nothingToWithdraw(snapshot.id))]
    case (.working(let stage, .abort), .withdrawAnswered(true, let requester)):
      state = .working(stage, .goOn)
      return [record(.abortWithdrawn(by: requester), at: time), recordState(at: time)]
    case (.working(let stage, .suspend), .withdrawAnswered(true, _)):
      hold = nil
      state = .working(stage, .goOn)
      return [recordState(at: time)]
    case (.working(_, .suspend), .withdrawAnswered(false, _)):
      return [.refuse(willBeHeld)]
    case (.suspended, .withdrawAnswered):
      // It was held before the answer was heard: what is wanted is the same.
      return resume(at: time)
    case (.verifying(let end?), .withdrawAnswered(true, let requester))
    where !end.stoppedAtBoundary && hasAcceptedAbort:
      // Taken back in time, and at its natural end before the answer was heard.
      return [record(.abortWithdrawn(by: requester), at: time)]
    case (_, .withdrawAnswered):
      return [.refuse(Self.tooLateToWithdraw(snapshot.id))]

    case (_, .suspend(let requester)):
      return suspend(by: requester, at: time)
    case (_, .suspendAnswered(let answer, let requester)):
      return handle(answer, toSuspendBy: requester, at: time)
    case (_, .resume):
      return resume(at: time)
    case (_, .prioritize(let priority, let requester)):
      return prioritize(priority, by: requester, at: time)

    case (.verifying(let end), .verified(let verification, let before, let after))
    where !isDownloadOnly:
      return self.end(end, verification, before: before, after: after, at: time)
    case (.verifying(let end), .archivesChecked(let findings)) where isDownloadOnly:
      return endDownload(end, findings, at: time)
    case (.ended, .cleanUp(let requester)):
      guard !snapshot.isCleanedUp else { return [] }
      return [.releaseFiles, record(.cleanedUp(by: requester), at: time)]
    case (_, .cleanUp):
      return [
        .refuse(
          InstallationError(
            .invalidState, "job \(snapshot.id) is not over yet", class: .transient,
            hint: "wait for its end, or abort it"))
      ]
    case (.working, .lapse(let isClockSound)), (.verifying, .lapse(let isClockSound)):
      return applyLapse(isClockSound: isClockSound, at: time)
    case (_, .lapse): return []
    case (.ended, .reports), (.verifying, .reports), (.suspended, .reports), (_, .silence):
      return []
    default:
      throw InvalidTransition(state: state, input: input)
    }
  }

  // MARK: Bookkeeping shared by the transitions

  /// Applies a durable payload to the snapshot and returns the action that stores it.
  mutating func record(_ payload: JobEvent.Payload, at time: Timestamp) -> Action {
    snapshot.apply(JobEvent(seq: 0, at: time, job: snapshot.id, payload: payload))
    return .record(payload)
  }

  /// The action that stores and publishes the state as it now is.
  mutating func recordState(at time: Timestamp) -> Action {
    record(.state(stateChange), at: time)
  }

  mutating func enter(_ new: State) { state = new }

  /// What the work begins with.
  var firstStage: WorkStage {
    plan.archives.isEmpty && !isDownloadOnly ? .installing : .downloading
  }

  /// Whether any package was begun: all archives are there then, also where the job goes on.
  var hasBegunPackages: Bool { (snapshot.plan ?? []).contains { $0.phase > .downloaded } }

  /// Steps that are as planned already, by what dpkg said.
  var finishedSteps: Set<Int> {
    Set((snapshot.plan ?? []).indices.filter { snapshot.plan?[$0].phase == .done })
  }

  private static func nothingToWithdraw(_ id: JobID) -> InstallationError {
    InstallationError(
      .invalidState, "no abort of job \(id) is under way", class: .fatal)
  }

  private static func tooLateToWithdraw(_ id: JobID) -> InstallationError {
    InstallationError(
      .invalidState, "the abort of job \(id) has already taken effect", class: .fatal,
      hint: "submit a new job for what was left out")
  }
}
