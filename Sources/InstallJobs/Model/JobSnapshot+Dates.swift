public import FoundationEssentials

// Times and durations in the types of the language; inside and in JSON they are milliseconds and seconds.
extension JobSnapshot {
  /// When the job was accepted.
  public var submissionDate: Date { submittedAt.date }
  /// When its work began; nil while it waits.
  public var startDate: Date? { startedAt?.date }
  /// When it was over and verified; nil before.
  public var endDate: Date? { endedAt?.date }
  /// When any sign of life of the work was last seen (row C21).
  public var lastActivityDate: Date? { lastActivityAt?.date }
  /// Of an interrupted job: when any sign of its work was seen last.
  public var interruptionDate: Date? { interruptedAt?.date }
  /// Of a job that is over: when its work was, where an engine found that later; nil otherwise.
  public var workEndDate: Date? { workEndedAt?.date }
  /// Expected time to the end, by the pace so far; nil while that would be a guess.
  public var remaining: Duration? { etaSeconds.map { .seconds($0) } }
  /// How far the end may be off in either direction: twice the standard deviation of what is known; nil
  /// where that is too little.
  public var remainingSpread: Duration? { etaSpreadSeconds.map { .seconds($0) } }
  /// Of a job that waits: time until it has its turn, from the moment of the answer; nil where unknown.
  public var startsIn: Duration? { startsInSeconds.map { .seconds($0) } }
  /// Of a job that waits: time until it is over, as ``startsIn``.
  public var endsIn: Duration? { endsInSeconds.map { .seconds($0) } }
  /// Time of work; nil before the work began.
  public var workDuration: Duration? { workedSeconds.map { .seconds($0) } }
  /// Share of the whole job that is done, 0...1, never falling; 1 exactly when the job succeeded and
  /// was verified (rows C4, C5).
  public var fractionCompleted: Double { percentComplete / 100 }
}

extension UpdateStatus {
  /// Share of the work on this package that is done, 0...1, never falling; 1 only when the package
  /// database shows what was planned.
  public var fractionCompleted: Double { percentComplete / 100 }
}

extension InstallationOptions {
  /// The longest wait for a package lock that somebody else holds, 0...1e9 seconds; nil waits for ever.
  public var lockTimeout: Duration? {
    get { lockSeconds.map { .seconds($0) } }
    set { lockSeconds = newValue?.seconds }
  }
  /// The job does not start before this time, to the millisecond.
  public var notBefore: Date? {
    get { earliestStart?.date }
    set { earliestStart = newValue.map(Timestamp.init) }
  }
  /// At this time an abort of the job is requested, if it has not ended.
  public var stopBy: Date? {
    get { latestStop?.date }
    set { latestStop = newValue.map(Timestamp.init) }
  }
  /// How long an abort may have to wait for packages that are configured together, 0...600 seconds, by what
  /// configuring them took before; zero has each package configured by itself, nil stands for 2 seconds.
  public var stopWithin: Duration? {
    get { stopSeconds.map { .seconds($0) } }
    set { stopSeconds = newValue?.seconds }
  }
}

extension Duration {
  /// The duration in seconds.
  package var seconds: Double { self / .seconds(1) }
}
