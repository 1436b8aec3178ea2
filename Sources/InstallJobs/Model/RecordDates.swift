public import FoundationEssentials

// Dates and durations, as Foundation and Swift types, of the values that belong to jobs, events and
// lists.

extension JobEvent {
  /// When the event happened, by the engine's clock.
  public var date: Date { at.date }
}

extension JobEvent.ProgressMark {
  /// Share of the whole job that was done, 0...1.
  public var fractionCompleted: Double { percentComplete / 100 }
}

extension JobProgressTick {
  /// Share of the whole job that is done, 0...1.
  public var fractionCompleted: Double { percentComplete / 100 }
  /// Expected time to the end; nil while it cannot be estimated.
  public var remaining: Duration? { etaSeconds.map { .seconds($0) } }
  /// Uncertainty of ``remaining``, see ``JobSnapshot/remainingSpread``.
  public var remainingSpread: Duration? { etaSpreadSeconds.map { .seconds($0) } }
  /// When the last sign of life was seen.
  public var lastActivityDate: Date? { lastActivityAt?.date }
}

extension JobProgressTick.Step {
  /// Share of the work on the package that is done, 0...1.
  public var fractionCompleted: Double { percentComplete / 100 }
}

extension JobOutcome {
  /// 1 for a verified success, less otherwise.
  public var fractionCompleted: Double { percentComplete / 100 }
  /// For an interrupted job: when the last sign of its work was seen.
  public var interruptionDate: Date? { interruptedAt?.date }
  /// When the work ended, if an engine found that later; else nil.
  public var workEndDate: Date? { workEndedAt?.date }
}

extension AbortRecord {
  /// When the abort was requested.
  public var requestDate: Date { requestedAt.date }
  /// When the job's worker had answered; nil if unknown.
  public var acknowledgementDate: Date? { acknowledgedAt?.date }
}

extension AuditRecord {
  /// When the action was recorded.
  public var date: Date { at.date }
}

extension AuditFilter {
  /// Creates a filter; nil values do not restrict.
  ///
  /// - Parameters:
  ///   - user: The name or the number of the user.
  ///   - date: Actions at this time or later.
  ///   - job: Actions on this job.
  ///   - act: The name of the request in the wire protocol.
  ///   - outcome: `permitted`, `refused` for all other outcomes, or one code.
  public init(
    user: String? = nil, from date: Date? = nil, job: JobID? = nil, act: String? = nil,
    outcome: String? = nil
  ) {
    self.init(
      user: user, since: date.map(Timestamp.init), job: job, act: act, outcome: outcome)
  }
}

extension HistoryFilter {
  /// Creates a filter; nil values do not restrict.
  ///
  /// - Parameters:
  ///   - package: A package that the job requested or touched, including dependencies.
  ///   - user: The name of the user who submitted the job.
  ///   - start: Jobs that ended at this time or later.
  ///   - end: Jobs that ended before this time.
  ///   - results: Jobs with one of these results; an empty set matches no job.
  public init(
    package: String? = nil, user: String? = nil, from start: Date? = nil, to end: Date? = nil,
    results: Set<HistoryResult>? = nil
  ) {
    self.init(
      package: package, user: user, since: start.map(Timestamp.init),
      until: end.map(Timestamp.init), results: results)
  }
}

extension EngineStatus {
  /// The engine's time when it answered; nil from an engine that does not report it.
  public var date: Date? { time?.date }
}

extension EngineStatus.Engine {
  /// When the process started to serve.
  public var startDate: Date { startedAt.date }
}

extension QueuePause {
  /// When the pause started, by the engine's clock.
  public var startDate: Date { since.date }
}

extension WaitReason {
  /// When the pause started, if the job or the queue is paused.
  public var startDate: Date? { since?.date }
}

extension PhaseTimes {
  /// Returns when a phase started; nil if it has not.
  public func startDate(of phase: UpdatePhase) -> Date? { self[phase]?.date }

  /// Returns when a phase ended, which is the start of the next phase; nil while it lasts.
  public func endDate(of phase: UpdatePhase) -> Date? { end(of: phase)?.date }
}

extension PhaseTimes.Entry {
  /// When the phase started.
  public var date: Date { at.date }
}

extension OverdueStage {
  /// The expected duration of the stage: the median of the same package on this machine, else an
  /// estimate from its size and the median of all packages.
  public var usualDuration: Duration { .seconds(usualSeconds) }
  /// When the stage started.
  public var startDate: Date { since.date }
}

extension ExpectedWork {
  /// Expected time until all archives are downloaded; zero if there are none.
  public var downloadDuration: Duration { .seconds(downloadSeconds) }
  /// Expected time from the end of the downloads to the verified result.
  public var packageDuration: Duration { .seconds(packageSeconds) }
  /// Uncertainty of the sum in either direction.
  public var spread: Duration { .seconds(spreadSeconds) }
}

extension RebootVerification {
  /// When the check was performed; nil while it is pending.
  public var checkDate: Date? { checkedAt?.date }
}

extension InstallationProgress {
  /// When the last sign of life was seen (row C21).
  public var lastActivity: Date? { lastActivityAt?.date }
}
