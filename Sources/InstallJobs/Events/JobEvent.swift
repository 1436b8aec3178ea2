/// An event of a job or of the engine.
///
/// Durable events are numbered without gaps over the whole engine, and the engine writes them to
/// the journal before it publishes them. Progress and log events are not stored; they carry the
/// number of the last durable event.
public struct JobEvent: Sendable, Hashable {
  /// The event's number if it is durable, else the number of the last durable event.
  public var seq: Int
  /// When the event happened, by the engine's clock.
  package var at: Timestamp
  /// The job of the event; nil for events of the engine itself.
  public var job: JobID?
  /// The kind of event with its data.
  public var payload: Payload
  /// The job's progress at the time of the event.
  ///
  /// Nil if it was not recorded: in events that are not durable, in events that do not come from
  /// the job's work, and in events of older engines.
  public var progressMark: ProgressMark?

  /// Creates a value from its parts.
  package init(
    seq: Int, at: Timestamp, job: JobID?, payload: Payload, progressMark: ProgressMark? = nil
  ) {
    self.seq = seq
    self.at = at
    self.job = job
    self.payload = payload
    self.progressMark = progressMark
  }

  /// The progress of a job at the time of a durable event.
  ///
  /// Progress events between durable events are not stored, so a replay knows the progress only
  /// from these marks (row N17).
  public struct ProgressMark: Sendable, Hashable, Codable {
    /// Share of the whole job that was done, 0...100.
    package var percentComplete: Double
    /// Bytes of the job's log that the engine had read; nil if it was not reading the log.
    public var logLength: Int64?
    /// The answer that a request to abort would have received; nil if it had not changed or was not
    /// recorded.
    public var abortPreview: AbortDisposition?

    /// Creates a value from its parts.
    public init(
      percentComplete: Double, logLength: Int64? = nil, abortPreview: AbortDisposition? = nil
    ) {
      self.percentComplete = percentComplete
      self.logLength = logLength
      self.abortPreview = abortPreview
    }
  }

  /// The kinds of events with their data.
  public enum Payload: Sendable, Hashable {
    /// A job was accepted; the snapshot is without its plan.
    case submitted(JobSnapshot)
    /// The job's state or its reason for waiting changed.
    case state(JobStateChange)
    /// Percentages and rates changed. Not durable.
    case progress(JobProgressTick)
    /// A package of the plan changed its phase or result.
    case update(index: Int, status: UpdateStatus)
    /// An abort was requested, and the engine answered.
    case abortRequested(AbortRecord)
    /// The abort was cancelled.
    case abortWithdrawn(by: Requester)
    /// The job's log grew. Not durable; `offset` is the position of `text` in the log, in bytes.
    case log(offset: Int64, text: String)
    /// The job is over and its result was verified.
    case completed(JobOutcome)
    /// The job was cleaned up.
    case cleanedUp(by: Requester)
    /// The job's packages were checked again after a restart of the machine that the job asked for
    /// (row D20).
    case verifiedAfterReboot(RebootVerification)
    /// A notice of the engine: it started or is stopping, or its queue was paused or resumed.
    case engine(EngineNotice)

    /// Whether the event is numbered and stored in the journal.
    public var isDurable: Bool {
      switch self {
      case .progress, .log: false
      case .engine(let notice): notice.isDurable
      case .submitted, .state, .update, .abortRequested, .abortWithdrawn, .completed, .cleanedUp,
        .verifiedAfterReboot:
        true
      }
    }

    /// The value of `type` in the JSON contract.
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

/// A change of a job's state.
public struct JobStateChange: Sendable, Hashable, Codable {
  /// The new state.
  public var state: JobState
  /// Why the job is waiting; nil if it is not waiting.
  public var waitingFor: WaitReason?
  /// The answer that a request to abort receives from now on.
  public var abortPreview: AbortDisposition
  /// The index in `updates` of the update that the current work serves, if any.
  public var currentUpdateIndex: Int?
  /// The index in `plan` of the package that is being worked on, if any.
  public var currentStepIndex: Int?
  /// Bytes downloaded so far of all archives; nil if not counted.
  public var downloadedBytes: Int64?
  /// The new priority of a waiting job; nil if it did not change.
  public var priority: Int?
  /// The user who changed the priority.
  public var movedBy: Requester?

  /// Creates a value from its parts.
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

/// The job's progress since the last tick; lists only the packages whose progress changed.
public struct JobProgressTick: Sendable, Hashable, Codable {
  /// The progress of one package.
  public struct Step: Sendable, Hashable, Codable {
    /// The index of the package in the plan.
    public var index: Int
    /// Share of the work on the package that is done, 0...100.
    package var percentComplete: Double
    /// Bytes of the package's archive downloaded so far.
    public var downloadedBytes: Int64

    /// Creates a value from its parts.
    public init(index: Int, percentComplete: Double, downloadedBytes: Int64) {
      self.index = index
      self.percentComplete = percentComplete
      self.downloadedBytes = downloadedBytes
    }
  }

  /// Share of the whole job that is done, 0...100.
  package var percentComplete: Double
  /// The index in `updates` of the update that the current work serves, if any.
  public var currentUpdateIndex: Int?
  /// The index in `plan` of the package that is being worked on, if any.
  public var currentStepIndex: Int?
  /// Bytes downloaded so far of all archives.
  public var downloadedBytes: Int64
  /// The download rate in bytes per second; nil if nothing is being downloaded.
  public var bytesPerSecond: Double?
  /// Expected seconds to the end of the job; nil while it cannot be estimated.
  package var etaSeconds: Double?
  /// Uncertainty of `etaSeconds` in seconds, see ``JobSnapshot/etaSpreadSeconds``.
  package var etaSpreadSeconds: Double?
  /// The current stage if it takes much longer than on earlier runs on this machine; else nil.
  public var overdue: OverdueStage?
  /// Work outside the plan's packages, for display: `triggers of man-db`.
  public var activity: String?
  /// When the last sign of life was seen.
  package var lastActivityAt: Timestamp?
  /// Whether the last sign of life is older than the engine's threshold.
  public var isStalled: Bool
  /// Why there is no sign of life, if known.
  public var stall: StallCause?
  /// The answer that a request to abort would receive now.
  public var abortPreview: AbortDisposition
  /// The packages whose progress changed since the last tick, in the order of work.
  public var steps: [Step]

  /// Creates a value from its parts.
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

/// The final result of a job.
public struct JobOutcome: Sendable, Hashable, Codable {
  /// `completed`, or `interrupted` when the worker vanished.
  public var state: JobState
  /// The overall result according to the package database.
  public var resultCode: OperationResultCode
  /// 100 for a verified success, less otherwise.
  package var percentComplete: Double
  /// Why the job did not succeed; nil if it did.
  public var error: InstallationError?
  /// Whether the job asked for a restart of the machine.
  public var requiresReboot: Bool
  /// The packages that asked for the restart.
  public var rebootReasons: [String]
  /// The package tool's exit status, for information only.
  public var exitStatus: Int32?
  /// The actions that repair the packages that the job left incomplete.
  public var repairs: [RepairAction]
  /// The final status of each requested update, in the requested order.
  public var updates: [UpdateStatus]
  /// If the job asked for a restart: the check of its packages after the restart (row D20).
  public var afterReboot: RebootVerification?
  /// For an interrupted job: when the last sign of its work was seen; nil if there was none.
  package var interruptedAt: Timestamp?
  /// When the work ended, if it ended before the engine that recorded the outcome started; else
  /// nil.
  package var workEndedAt: Timestamp?
  /// Counts of the plan's packages by result.
  ///
  /// Nil for a success, since all packages are as planned, and in events of older engines.
  public var counts: ResultCounts?

  /// Creates a value from its parts.
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

/// A notice about the engine for all connected clients.
public struct EngineNotice: Sendable, Hashable, Codable {
  /// The kinds of notices.
  public enum Kind: String, Sendable, Hashable, Codable {
    case started
    case stopping
    case queuePaused
    case queueResumed
  }

  /// The kind of notice.
  public var kind: Kind
  /// One line for display.
  public var message: String
  /// Why no further job starts; in `queueResumed`, the pause that remains.
  public var pause: QueuePause?
  /// In `queueResumed`: the user who resumed the queue; nil if the engine itself had paused it.
  public var by: Requester?
  /// In `queueResumed`: the cause that has ended, if the engine itself had paused the queue.
  public var cause: QueuePause.Cause?

  /// Whether the notice is numbered and stored in the journal.
  ///
  /// A pause that a user requested is stored and stays in force in the next engine. A pause by the
  /// engine itself ends with the engine, and its cause may be that the journal cannot be written;
  /// so it is only published.
  public var isDurable: Bool {
    switch kind {
    case .started, .stopping: true
    case .queuePaused: pause.map { $0.cause == .request } ?? true
    case .queueResumed: cause == nil
    }
  }

  /// Whether the notice is about the queue.
  public var isOfQueue: Bool { kind == .queuePaused || kind == .queueResumed }

  /// Creates a notice of a kind with its text.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// Creates the notice that the queue was paused.
  public init(paused pause: QueuePause) {
    self.init(.queuePaused, pause.message + ": no further job begins")
    self.pause = pause
  }

  /// Creates the notice that a user resumed the queue.
  ///
  /// - Parameters:
  ///   - requester: The user who resumed it.
  ///   - pause: The pause that remains; nil if jobs start again.
  public init(resumedBy requester: Requester, pause: QueuePause? = nil) {
    let left = pause.map { "; \($0.message)" } ?? ""
    self.init(.queueResumed, "queue resumed by \(requester.user)" + left)
    by = requester
    self.pause = pause
  }

  /// Creates the notice that the engine's own pause of the queue ended.
  ///
  /// - Parameters:
  ///   - cause: The cause that has ended.
  ///   - pause: The pause that remains; nil if jobs start again.
  public init(over cause: QueuePause.Cause, pause: QueuePause? = nil) {
    let what =
      switch cause {
      case .request: ""
      case .journal: ": the journal can be written again"
      case .index: ": the package index was fetched"
      }
    let words = pause.map { "; \($0.message)" } ?? ""
    self.init(.queueResumed, "queue resumed" + what + words)
    self.cause = cause
    self.pause = pause
  }
}
