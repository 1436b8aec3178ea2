public import FoundationEssentials

// Times and durations as Foundation and Swift types; internally and in JSON they are milliseconds
// and seconds.
extension JobSnapshot {
  /// When the job was accepted.
  public var submissionDate: Date { submittedAt.date }
  /// When the work started; nil while the job waits.
  public var startDate: Date? { startedAt?.date }
  /// When the job was over and verified; nil before.
  public var endDate: Date? { endedAt?.date }
  /// When the last sign of life of the work was seen (row C21).
  public var lastActivityDate: Date? { lastActivityAt?.date }
  /// For an interrupted job: when the last sign of its work was seen.
  public var interruptionDate: Date? { interruptedAt?.date }
  /// For an ended job: when the work ended, if an engine found that later; else nil.
  public var workEndDate: Date? { workEndedAt?.date }
  /// Expected time to the end, estimated from the pace so far; nil while it cannot be estimated.
  public var remaining: Duration? { etaSeconds.map { .seconds($0) } }
  /// Uncertainty of the expected end in either direction: twice the standard deviation of earlier
  /// runs; nil if there is too little data.
  public var remainingSpread: Duration? { etaSpreadSeconds.map { .seconds($0) } }
  /// For a waiting job: expected time until it starts, from the moment of the answer; nil if
  /// unknown.
  public var startsIn: Duration? { startsInSeconds.map { .seconds($0) } }
  /// For a waiting job: expected time until it is over, counted like ``startsIn``.
  public var endsIn: Duration? { endsInSeconds.map { .seconds($0) } }
  /// Duration of the work; nil while the job is not over.
  public var workDuration: Duration? { workedSeconds.map { .seconds($0) } }
  /// Share of the whole job that is done, 0...1; never decreases.
  ///
  /// 1 exactly if the job succeeded and was verified (rows C4, C5).
  public var fractionCompleted: Double { percentComplete / 100 }
}

extension UpdateStatus {
  /// Share of the work on this package that is done, 0...1; never decreases.
  ///
  /// 1 only if the package database matches the plan.
  public var fractionCompleted: Double { percentComplete / 100 }
}

extension InstallationOptions {
  /// The time-out for a package lock that a foreign process holds, 0...1e9 seconds; nil waits
  /// without limit.
  public var lockTimeout: Duration? {
    get { lockSeconds.map { .seconds($0) } }
    set { lockSeconds = newValue?.seconds }
  }
  /// The earliest start of the job, with millisecond resolution.
  public var notBefore: Date? {
    get { earliestStart?.date }
    set { earliestStart = newValue.map(Timestamp.init) }
  }
  /// The time at which the engine requests an abort of the job if it has not ended.
  public var stopBy: Date? {
    get { latestStop?.date }
    set { latestStop = newValue.map(Timestamp.init) }
  }
  /// The longest time that an abort may wait for packages that are configured together, 0...600
  /// seconds; nil means 2 seconds.
  ///
  /// Estimated from the duration of earlier configurations. Zero configures each package by itself.
  public var stopWithin: Duration? {
    get { stopSeconds.map { .seconds($0) } }
    set { stopSeconds = newValue?.seconds }
  }
}

extension Duration {
  /// The duration in seconds.
  package var seconds: Double { self / .seconds(1) }
}
