public import FoundationEssentials

// Dates and durations of the values that come with jobs, events and lists.

extension JobEvent {
  /// When it happened, by the engine's clock.
  public var date: Date { at.date }
}

extension JobEvent.ProgressMark {
  /// Share of the whole job that was done, 0...1.
  public var fractionCompleted: Double { percentComplete / 100 }
}

extension JobProgressTick {
  /// Share of the whole job that is done, 0...1.
  public var fractionCompleted: Double { percentComplete / 100 }
  /// Expected time to the end; nil while that would be a guess.
  public var remaining: Duration? { etaSeconds.map { .seconds($0) } }
  /// How far the end may be off, see ``JobSnapshot/remainingSpread``.
  public var remainingSpread: Duration? { etaSpreadSeconds.map { .seconds($0) } }
  /// When any sign of life was last seen.
  public var lastActivityDate: Date? { lastActivityAt?.date }
}

extension JobProgressTick.Step {
  /// Share of the work on the package that is done, 0...1.
  public var fractionCompleted: Double { percentComplete / 100 }
}

extension JobOutcome {
  /// 1 for a verified success, less for anything else.
  public var fractionCompleted: Double { percentComplete / 100 }
  /// Of an interrupted job: when any sign of its work was seen last.
  public var interruptionDate: Date? { interruptedAt?.date }
  /// When the work was over, where an engine found that later; nil otherwise.
  public var workEndDate: Date? { workEndedAt?.date }
}

extension AbortRecord {
  /// When the abort was asked for.
  public var requestDate: Date { requestedAt.date }
  /// When the work had answered it; nil where that is not known.
  public var acknowledgementDate: Date? { acknowledgedAt?.date }
}

extension AuditRecord {
  /// When it was recorded.
  public var date: Date { at.date }
}

extension AuditFilter {
  /// A filter of its parts; what is nil does not restrict.
  ///
  /// - Parameters:
  ///   - user: The name or the number of the user.
  ///   - date: Acts at this time or later.
  ///   - job: Acts on this job.
  ///   - act: The request's name on the wire.
  ///   - outcome: `permitted`, `refused` for everything else, or one code.
  public init(
    user: String? = nil, from date: Date? = nil, job: JobID? = nil, act: String? = nil,
    outcome: String? = nil
  ) {
    self.init(
      user: user, since: date.map(Timestamp.init), job: job, act: act, outcome: outcome)
  }
}

extension HistoryFilter {
  /// A filter of its parts; what is nil does not restrict.
  ///
  /// - Parameters:
  ///   - package: A package that the job asked for or touched, dependencies included.
  ///   - user: The name of the user who asked.
  ///   - start: Jobs that ended at this time or later.
  ///   - end: Jobs that ended before this time.
  ///   - results: Jobs that ended in one of these ways; an empty set means none.
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
  /// The time by the engine's clock when it answered; nil from an engine that does not tell.
  public var date: Date? { time?.date }
}

extension EngineStatus.Engine {
  /// When the process began to serve.
  public var startDate: Date { startedAt.date }
}

extension QueuePause {
  /// Since when the queue is paused, by the engine's clock.
  public var startDate: Date { since.date }
}

extension WaitReason {
  /// Since when the job or the queue is paused, where that is the reason.
  public var startDate: Date? { since?.date }
}

extension PhaseTimes {
  /// When a phase began; nil when it has not.
  public func startDate(of phase: UpdatePhase) -> Date? { self[phase]?.date }

  /// When a phase was over: when a later one began; nil while it goes on.
  public func endDate(of phase: UpdatePhase) -> Date? { end(of: phase)?.date }
}

extension PhaseTimes.Entry {
  /// When the phase began.
  public var date: Date { at.date }
}

extension OverdueStage {
  /// How long the stage was expected to take: the median of the same package on this machine, else what
  /// its size lets expect by the median of all packages.
  public var usualDuration: Duration { .seconds(usualSeconds) }
  /// Since when it goes on.
  public var startDate: Date { since.date }
}

extension ExpectedWork {
  /// Time until all archives are there; zero where none is to be fetched.
  public var downloadDuration: Duration { .seconds(downloadSeconds) }
  /// Time from there to the verified result.
  public var packageDuration: Duration { .seconds(packageSeconds) }
  /// How far the sum may be off in either direction.
  public var spread: Duration { .seconds(spreadSeconds) }
}

extension RebootVerification {
  /// When the check was done; nil while it is pending.
  public var checkDate: Date? { checkedAt?.date }
}

extension InstallationProgress {
  /// When any sign of life was last seen (row C21).
  public var lastActivity: Date? { lastActivityAt?.date }
}
