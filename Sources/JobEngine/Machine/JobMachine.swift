package import InstallJobs
package import PackageProvider

/// The state machine of one job as a pure value: inputs in, actions out; no clock, no I/O, no
/// `async`.
///
/// The owner performs the actions in order and passes their results back as inputs. Concurrent
/// events of the real machine become a sequence of inputs here. An input that is invalid in the
/// present state throws ``InvalidTransition`` and changes nothing.
package struct JobMachine: Sendable {
  /// The job's state, with the values that only this state needs.
  package enum State: Sendable, Hashable {
    case queued
    /// The job waits in the queue and is paused: other jobs pass it until it is resumed.
    case paused
    /// The job has its turn; the provider was asked to start the work.
    case starting
    case working(WorkStage, Intention)
    /// The work stopped between two packages and can be resumed.
    case suspended
    /// The work has ended (nil: the worker vanished); the package database is being read.
    case verifying(WorkEnd?)
    case ended
  }

  /// Whether the running work is to continue, or which stop it has accepted.
  package enum Intention: Sendable, Hashable {
    case proceed
    /// The work will stop for good after the given step; nil when it changes nothing more.
    case abort(after: Int?)
    /// The work will stop after the given step, to be resumed later; nil for at once.
    case suspend(after: Int?)
  }

  /// An event in the life of a job.
  package enum Input: Sendable, Hashable {
    /// The queue gives the job its turn.
    case begin
    case started
    case startFailed(InstallationError)
    /// Steps that the machine satisfied before the work began: the work leaves them out.
    case satisfied(Set<Int>)
    /// Reports of the work, and the work's answer to a request to stop made right after them.
    case reports([WorkReport], preview: StopAnswer? = nil)
    /// A user requests an abort.
    case abort(by: Requester)
    /// The work's answer to a request to abort.
    case abortAnswered(StopAnswer, by: Requester)
    case withdrawAbort(by: Requester)
    /// Whether the work cancelled its stop in time.
    case withdrawAnswered(Bool, by: Requester)
    /// A user requests a pause.
    case suspend(by: Requester)
    /// The work's answer to a request to pause.
    case suspendAnswered(StopAnswer, by: Requester)
    case resume
    /// A user changes the priority of the waiting job.
    case prioritize(Int, by: Requester)
    /// The findings in the package database, and the restart marker before (nil: unknown) and after
    /// the work.
    case verified(Verification, before: RebootMarker?, after: RebootMarker)
    /// For a download-only job: the finding for each archive of the plan, by step.
    case archivesChecked([Int: ArchiveFinding])
    /// A change of the fetch for the waiting job: its state as text, nil when there is none, and
    /// the number of bytes of its archives that are there.
    case ahead(String?, fetched: Int64 = 0)
    /// No sign of life for longer than the stall threshold.
    case silence(StallCause?)
    case cleanUp(by: Requester)
    /// Time has passed without a report; false when the clock was set meanwhile.
    case lapse(isClockSound: Bool)
  }

  /// A task for the owner of the machine.
  package enum Action: Sendable, Hashable {
    /// Store and publish a durable event.
    case record(JobEvent.Payload)
    /// Publish an event that is not stored.
    case publish(JobEvent.Payload)
    /// Start the work without the finished steps.
    case startWork(finishedSteps: Set<Int>)
    /// Ask the work to stop, and pass its answer back.
    case askStop(StopRequest)
    /// Have the work cancel its stop, and pass the answer back.
    case cancelStop(by: Requester)
    /// Answer the requester of an abort.
    case answer(AbortDisposition)
    /// Refuse the request with an error.
    case refuse(InstallationError)
    /// Check the package database, or the archives of a download-only job, and pass the findings
    /// back.
    case verify
    /// Remove the job from the queue, because it is over: the next job may start.
    case leaveQueue
    /// Remove archives and work files.
    case releaseFiles
    /// Store the durations of the stages, for the estimates of later jobs.
    case learn([Stopwatch.Lap])
  }

  /// The user who paused a job, and when.
  struct Pause: Sendable, Hashable {
    var by: Requester
    var since: Timestamp
  }

  /// The error for an input that is invalid in the present state: a bug of the owner, never of a
  /// user.
  package struct InvalidTransition: Error, CustomStringConvertible {
    package let state: State
    package let input: Input
    package var description: String { "no transition from \(state) on \(input)" }
  }

  /// The job's plan.
  package let plan: JobPlan
  /// The machine's boot id, for the check after a restart; nil when unknown (row D20).
  let bootID: String?
  package private(set) var state: State
  /// The job as it is published, with its plan.
  package internal(set) var snapshot: JobSnapshot
  /// The last sign of life of a worker that vanished.
  var lastSign: Timestamp?
  /// When this engine recovered the job from an earlier engine; nil for a job that this engine
  /// accepted.
  var recoveredAt: Timestamp?
  var model: ProgressModel
  /// Steps whose progress changed since the last tick.
  var moved: Set<Int> = []
  var rate = TransferRate()
  /// The request to stop that the work has not answered yet.
  var unanswered: StopRequest?
  /// When the pending abort was first requested.
  var abortAskedAt: Timestamp?
  /// When the pending abort was answered, if it is recorded later than that.
  var abortAnsweredAt: Timestamp?
  /// When the pending pause was first requested.
  var pauseRequestedAt: Timestamp?
  /// Whether the job was recovered in the state `finalizing`: its work was over but not verified.
  var wasFinalizing = false
  /// The work's last preview of its answer to a request to stop.
  var stopPreview: StopAnswer?
  /// The time of the present input.
  var now: Timestamp?
  /// Measures the duration of each stage.
  var stopwatch = Stopwatch()
  /// Whether the start of the present stage is unknown because the clock was set.
  var isAgeUnknown = false
  /// Whether the work has had the package lock.
  ///
  /// Before that, its tools cannot have changed a package.
  var hasHadLock = false
  /// Whether the worker is gone while processes that it started still run.
  var isAbandoned = false
  /// The step whose present phase reports its own progress.
  var measuredStep: Int?
  /// Estimated seconds of the package stages that have been measured.
  var expectedSeconds = 0.0
  /// Remarks of the work for the error of an unsuccessful end, at most eight.
  var remarks: [String] = []
  /// Whether the work began before the machine's last boot, so that the machine's end ended the
  /// work.
  var wasCutByRestart = false
  /// The present or pending pause; nil when there is none, or its user is unknown.
  var pause: Pause?

  /// Creates the machine of a job that was just accepted.
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

  /// Handles one input.
  ///
  /// - Parameters:
  ///   - input: What happened.
  ///   - time: When it happened; used in the events.
  /// - Returns: The actions for the owner, in order.
  /// - Throws: ``InvalidTransition``, with nothing changed.
  package mutating func handle(_ input: Input, at time: Timestamp) throws(InvalidTransition)
    -> [Action]
  {
    now = time
    switch (state, input) {
    // A repair has work even without steps: dpkg's notes on packages that are gone. So has a job
    // that marks packages.
    case (.queued, .begin)
    where plan.steps.isEmpty && snapshot.operation != .repair && !plan.hasMarks:
      state = .verifying(WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
      return [recordState(at: time), .verify]
    case (.queued, .begin):
      snapshot.activity = nil
      state = .starting
      return [.startWork(finishedSteps: [])]
    case (.queued, .ahead(let words, let bytes)), (.paused, .ahead(let words, let bytes)):
      snapshot.activity = words
      snapshot.downloadedBytes = max(snapshot.downloadedBytes, bytes)
      return [.publish(.progress(tick(at: nil)))]
    case (_, .ahead):
      return []
    case (.starting, .started):
      // Requests to earlier work do not apply to this work.
      unanswered = nil
      isAbandoned = false
      wasCutByRestart = false
      let stage = hasBegunPackages ? .installing : firstStage
      state = .working(stage, .proceed)
      stopwatch.enter(stage, at: time)
      return [recordState(at: time)]
    case (.starting, .startFailed(let error)) where snapshot.startedAt == nil:
      return end(failedToStart: error, at: time)
    case (.starting, .startFailed(let error)):
      // A resumed job has done a part of its work already, which the package database shows.
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

    case (.queued, .abort(let requester)), (.paused, .abort(let requester)):
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
      // The work stopped for this request before its answer arrived.
      return abortSuspended(accepted(answer), by: requester, at: time)
    case (.verifying, .abortAnswered(_, let requester)) where hasAcceptedAbort:
      guard unanswered != nil else { return repeatAbort(by: requester, at: time) }
      // The work stopped for this request before its answer arrived; the abort is recorded already.
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
      return [.cancelStop(by: requester)]
    case (_, .withdrawAbort):
      return [.refuse(Self.nothingToWithdraw(snapshot.id))]
    case (.working(let stage, .abort), .withdrawAnswered(true, let requester)):
      state = .working(stage, .proceed)
      return [record(.abortWithdrawn(by: requester), at: time), recordState(at: time)]
    case (.working(let stage, .suspend), .withdrawAnswered(true, _)):
      pause = nil
      state = .working(stage, .proceed)
      return [recordState(at: time)]
    case (.working(_, .suspend), .withdrawAnswered(false, _)):
      return [.refuse(tooLateToResume)]
    case (.suspended, .withdrawAnswered):
      // The work stopped before the answer arrived; the request still wants the job to continue.
      return resume(at: time)
    case (.verifying(let end?), .withdrawAnswered(true, let requester))
    where !end.stoppedAtBoundary && hasAcceptedAbort:
      // The abort was cancelled in time, and the work reached its natural end before the answer
      // arrived.
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

  /// Returns the action that stores and publishes the present state.
  mutating func recordState(at time: Timestamp) -> Action {
    record(.state(stateChange), at: time)
  }

  mutating func enter(_ new: State) { state = new }

  /// The first stage of the work.
  var firstStage: WorkStage {
    plan.archives.isEmpty && !isDownloadOnly ? .installing : .downloading
  }

  /// Whether any package was begun.
  ///
  /// All archives are there then, also after a resume.
  var hasBegunPackages: Bool { (snapshot.plan ?? []).contains { $0.phase > .downloaded } }

  /// The steps that dpkg has reported as done.
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
