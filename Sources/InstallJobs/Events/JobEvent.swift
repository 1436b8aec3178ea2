/// Something that happened, in the order in which it happened.
///
/// Durable events are numbered over the whole engine without gaps and are in the journal before
/// anybody sees them. Progress and log events are not stored; they repeat the number of the last
/// durable event.
public struct JobEvent: Sendable, Hashable {
  /// The event's number if it is durable, else that of the last durable event.
  public var seq: Int
  /// When it happened, by the engine's clock.
  package var at: Timestamp
  /// The job it belongs to; nil for events of the engine itself.
  public var job: JobID?
  /// What happened.
  public var payload: Payload
  /// How far the job was then; nil where it was not noted: in events that are not durable, in those
  /// that are not of the work, and in those of older engines.
  public var progressMark: ProgressMark?

  /// A value of its parts.
  package init(
    seq: Int, at: Timestamp, job: JobID?, payload: Payload, standing: ProgressMark? = nil
  ) {
    self.seq = seq
    self.at = at
    self.job = job
    self.payload = payload
    self.progressMark = standing
  }

  /// How far a job was when something durable happened to it: what is told of it in between is not
  /// stored, so that a replay knows it from here alone (row N17).
  public struct ProgressMark: Sendable, Hashable, Codable {
    /// Share of the whole job that was done, 0...100.
    package var percentComplete: Double
    /// Bytes of the job's log that had been read; nil where nobody read it at that moment.
    public var logLength: Int64?
    /// What an abort would have been answered; nil where that was the same as before, or nobody noted it.
    public var abortPreview: AbortDisposition?

    /// A value of its parts.
    public init(
      percentComplete: Double, logLength: Int64? = nil, abortPreview: AbortDisposition? = nil
    ) {
      self.percentComplete = percentComplete
      self.logLength = logLength
      self.abortPreview = abortPreview
    }
  }

  /// What happened.
  public enum Payload: Sendable, Hashable {
    /// A job was accepted; the snapshot comes without its plan.
    case submitted(JobSnapshot)
    /// The job's state or what it waits for changed.
    case state(JobStateChange)
    /// Percentages and rates moved. Not durable.
    case progress(JobProgressTick)
    /// A package of the plan changed its phase or result.
    case update(index: Int, status: UpdateStatus)
    /// An abort was asked for and answered.
    case abortRequested(AbortRecord)
    /// The request to abort was taken back.
    case abortWithdrawn(by: Requester)
    /// The job's log grew. Not durable; `offset` is where `text` begins, in bytes.
    case log(offset: Int64, text: String)
    /// The job is over and verified.
    case completed(JobOutcome)
    /// The job was cleaned up.
    case cleanedUp(by: Requester)
    /// After a restart of the machine that the job asked for, its packages were looked at again
    /// (row D20).
    case verifiedAfterReboot(RebootVerification)
    /// The engine itself: started, stopping; its queue paused or going on.
    case engine(EngineNotice)

    /// Whether the event is numbered and stored.
    public var isDurable: Bool {
      switch self {
      case .progress, .log: false
      case .engine(let notice): notice.isDurable
      case .submitted, .state, .update, .abortRequested, .abortWithdrawn, .completed, .cleanedUp,
        .verifiedAfterReboot:
        true
      }
    }

    /// The `type` of the JSON contract.
    public var type: String {
      switch self {
      case .submitted: "submitted"
      case .state: "state"
      case .progress: "progress"
      case .update: "update"
      case .abortRequested: "abortRequested"
      case .abortWithdrawn: "abortWithdrawn"
      case .log: "log"
      case .completed: "completed"
      case .cleanedUp: "cleanedUp"
      case .verifiedAfterReboot: "verifiedAfterReboot"
      case .engine: "engine"
      }
    }
  }
}

/// A job's new state.
public struct JobStateChange: Sendable, Hashable, Codable {
  /// The new state.
  public var state: JobState
  /// Why the job does not go on; nil when it does.
  public var waitingFor: WaitReason?
  /// What a request to abort would be answered from now on.
  public var abortPreview: AbortDisposition
  /// The index in `updates` that the work is done for, if any.
  public var currentUpdateIndex: Int?
  /// The index in `plan` of the package that is worked on, if any.
  public var currentStepIndex: Int?
  /// Bytes of all archives that have arrived; nil where nobody counted.
  public var downloadedBytes: Int64?
  /// The priority that a job which waits was given; nil where it stays.
  public var priority: Int?
  /// Who gave it that priority.
  public var movedBy: Requester?

  /// A value of its parts.
  public init(
    _ state: JobState, waitingFor: WaitReason? = nil, abortPreview: AbortDisposition,
    currentUpdateIndex: Int? = nil, currentStepIndex: Int? = nil
  ) {
    self.state = state
    self.waitingFor = waitingFor
    self.abortPreview = abortPreview
    self.currentUpdateIndex = currentUpdateIndex
    self.currentStepIndex = currentStepIndex
  }
}

/// What moved since the last tick; only the packages that moved are listed.
public struct JobProgressTick: Sendable, Hashable, Codable {
  /// One package that moved.
  public struct Step: Sendable, Hashable, Codable {
    /// Its index in the plan.
    public var index: Int
    /// Share of the work on it that is done, 0...100.
    package var percentComplete: Double
    /// Bytes of its archive that have arrived.
    public var downloadedBytes: Int64

    /// A value of its parts.
    public init(index: Int, percentComplete: Double, downloadedBytes: Int64) {
      self.index = index
      self.percentComplete = percentComplete
      self.downloadedBytes = downloadedBytes
    }
  }

  /// Share of the whole job that is done, 0...100.
  package var percentComplete: Double
  /// The index in `updates` that the work is done for, if any.
  public var currentUpdateIndex: Int?
  /// The index in `plan` of the package that is worked on, if any.
  public var currentStepIndex: Int?
  /// Bytes that have arrived of all archives.
  public var downloadedBytes: Int64
  /// The rate of a download; nil when nothing is fetched.
  public var bytesPerSecond: Double?
  /// Expected seconds to the end; nil while that would be a guess.
  package var etaSeconds: Double?
  /// How far the end may be off, see ``JobSnapshot/etaSpreadSeconds``.
  package var etaSpreadSeconds: Double?
  /// The stage that goes on for much longer than it did before on this machine.
  public var overdue: OverdueStage?
  /// What is going on outside the plan's packages, for people: `triggers of man-db`.
  public var activity: String?
  /// When any sign of life was last seen.
  package var lastActivityAt: Timestamp?
  /// Whether no sign of life came for longer than the engine's threshold.
  public var isStalled: Bool
  /// Why none came, where that is known.
  public var stall: StallCause?
  /// What a request to abort would be answered now.
  public var abortPreview: AbortDisposition
  /// The packages that moved since the last tick, in order of work.
  public var steps: [Step]

  /// A value of its parts.
  package init(
    percentComplete: Double, currentUpdateIndex: Int?, currentStepIndex: Int?,
    downloadedBytes: Int64, bytesPerSecond: Double?, etaSeconds: Double?, activity: String? = nil,
    lastActivityAt: Timestamp?, isStalled: Bool, stall: StallCause? = nil,
    abortPreview: AbortDisposition, steps: [Step]
  ) {
    self.percentComplete = percentComplete
    self.currentUpdateIndex = currentUpdateIndex
    self.currentStepIndex = currentStepIndex
    self.downloadedBytes = downloadedBytes
    self.bytesPerSecond = bytesPerSecond
    self.etaSeconds = etaSeconds
    self.activity = activity
    self.lastActivityAt = lastActivityAt
    self.isStalled = isStalled
    self.stall = stall
    self.abortPreview = abortPreview
    self.steps = steps
  }
}

/// How a job ended.
public struct JobOutcome: Sendable, Hashable, Codable {
  /// `completed`, or `interrupted` when the worker vanished.
  public var state: JobState
  /// The overall result by the package database.
  public var resultCode: OperationResultCode
  /// 100 for a verified success, less for anything else.
  package var percentComplete: Double
  /// Why it did not succeed; nil when it did.
  public var error: InstallationError?
  /// Whether the job asked for a restart of the machine.
  public var requiresReboot: Bool
  /// The packages that asked for it.
  public var rebootReasons: [String]
  /// The package tool's exit status, for reference only.
  public var exitStatus: Int32?
  /// What mends what was left behind.
  public var repairs: [RepairAction]
  /// The final status of what was asked for, in that order.
  public var updates: [UpdateStatus]
  /// Where the job asked for a restart: the check that is due after it (row D20).
  public var afterReboot: RebootVerification?
  /// Of `interrupted`: when any sign of its work was seen last; nil where none was.
  package var interruptedAt: Timestamp?
  /// When the work was over, where that was before the engine came that found it so; nil otherwise.
  package var workEndedAt: Timestamp?
  /// How the packages of the plan ended; nil of a success, where all are as planned, and in events of
  /// older engines.
  public var counts: ResultCounts?

  /// A value of its parts.
  package init(
    state: JobState, resultCode: OperationResultCode, percentComplete: Double,
    error: InstallationError?, requiresReboot: Bool, rebootReasons: [String], exitStatus: Int32?,
    repairs: [RepairAction], updates: [UpdateStatus], afterReboot: RebootVerification? = nil,
    interruptedAt: Timestamp? = nil, workEndedAt: Timestamp? = nil, counts: ResultCounts? = nil
  ) {
    self.counts = counts
    self.workEndedAt = workEndedAt
    self.interruptedAt = interruptedAt
    self.afterReboot = afterReboot
    self.state = state
    self.resultCode = resultCode
    self.percentComplete = percentComplete
    self.error = error
    self.requiresReboot = requiresReboot
    self.rebootReasons = rebootReasons
    self.exitStatus = exitStatus
    self.repairs = repairs
    self.updates = updates
  }
}

extension JobOutcome {
  enum CodingKeys: String, CodingKey {
    case state, resultCode, percentComplete, error, rebootReasons, exitStatus, repairs, updates
    case afterReboot, interruptedAt, workEndedAt, counts
    case requiresReboot = "rebootRequired"
  }
}

/// Something about the engine that everybody connected should know.
public struct EngineNotice: Sendable, Hashable, Codable {
  /// The kinds of notices.
  public enum Kind: String, Sendable, Hashable, Codable {
    case started
    case stopping
    case queuePaused
    case queueResumed
  }

  /// What kind of notice it is.
  public var kind: Kind
  /// One line for people.
  public var message: String
  /// Why no further job begins; of `queueResumed`, what still keeps the queue.
  public var pause: QueuePause?
  /// Of `queueResumed`: who let the queue go on; nil where the engine itself had kept it.
  public var by: Requester?
  /// Of `queueResumed`: what is over, where the engine itself had kept the queue.
  public var cause: QueuePause.Cause?

  /// Whether it is numbered and stored: what somebody asked for is, and holds under the next engine.
  ///
  /// What the engine itself waits for ends with the engine, and may be the journal: it is told only.
  public var isDurable: Bool {
    switch kind {
    case .started, .stopping: true
    case .queuePaused: pause.map { $0.cause == .request } ?? true
    case .queueResumed: cause == nil
    }
  }

  /// Whether it tells of the queue.
  public var isOfQueue: Bool { kind == .queuePaused || kind == .queueResumed }

  /// A value of its parts.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The queue was paused.
  public init(paused pause: QueuePause) {
    self.init(.queuePaused, pause.message + ": no further job begins")
    self.pause = pause
  }

  /// The queue goes on.
  ///
  /// - Parameters:
  ///   - requester: Who let it go on.
  ///   - pause: What still keeps it.
  public init(resumedBy requester: Requester, pause: QueuePause? = nil) {
    let left = pause.map { "; \($0.message)" } ?? ""
    self.init(.queueResumed, "the queue goes on, by \(requester.user)" + left)
    by = requester
    self.pause = pause
  }

  /// What the engine itself waited for is over.
  ///
  /// - Parameters:
  ///   - cause: What it waited for.
  ///   - pause: What still keeps the queue.
  public init(over cause: QueuePause.Cause, pause: QueuePause? = nil) {
    let what =
      switch cause {
      case .request: ""
      case .journal: ": the journal can be written again"
      case .index: ": the package index was fetched"
      }
    let words = pause.map { "; \($0.message)" } ?? ""
    self.init(.queueResumed, "the queue goes on" + what + words)
    self.cause = cause
    self.pause = pause
  }
}
