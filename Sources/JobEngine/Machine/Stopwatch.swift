import InstallJobs
import PackageProvider

/// Takes the time of each stage of one job's work.
///
/// Every interval between two reports belongs to the stage that ends with the later one, so that the
/// laps add up to the time that the work took, the package tool's own pauses between two packages
/// included. What cannot be told apart (a failure, a clock that was set, reports of the time before
/// this engine) is no lap.
package struct Stopwatch: Sendable {
  /// The time that one stage took.
  package struct Lap: Sendable, Hashable {
    package var stage: CostStage
    /// The plan's step; nil for a stage of the job as a whole.
    package var step: Int?
    package var seconds: Double
  }

  /// In the order of their ends.
  private(set) var laps: [Lap] = []
  /// When the present interval began; nil while none does.
  private(set) var since: Timestamp?
  /// What the job as a whole is about to do; nil while single packages are worked on.
  private(set) var opening: CostStage?
  /// Seconds that belong to what comes after the last package.
  private var triggers = 0.0
  /// The steps that are configured, of which some still wait for triggers.
  private var configured: Set<Int> = []
  /// Whether archives were fetched before: what a job fetches in pieces tells no rate.
  private var hasFetched = false
  private var isCatchingUp = false
  /// When the first and the last report of an earlier time were read.
  private var rush: (first: Timestamp, last: Timestamp)?

  /// How many laps are packages'.
  private(set) var lapsOfSteps = 0
  /// Seconds of the laps that are packages'.
  private(set) var secondsOfSteps = 0.0

  /// The work enters a stage.
  mutating func enter(_ stage: WorkStage, at time: Timestamp) {
    if opening == .download { lap(.download, nil, at: time) }
    since = time
    switch stage {
    case .downloading:
      opening = hasFetched ? nil : .connect
      if hasFetched { since = nil }
      hasFetched = true
    case .waitingForLock: stop()
    case .installing: opening = .prepare
    }
  }

  /// Archives are there that this work does not fetch, or not as a whole: its download tells no rate,
  /// and its first bytes nothing of the way there.
  mutating func noteArchives() { hasFetched = true }

  /// Bytes of an archive arrive.
  mutating func noteTransfer(at time: Timestamp) {
    guard opening == .connect else { return }
    lap(.connect, nil, at: time)
    opening = .download
  }

  /// A step enters a phase.
  mutating func enter(_ phase: UpdatePhase, step: Int, removes: Bool, at time: Timestamp) {
    switch phase {
    case .pending, .downloading, .downloaded: return
    case .unpacking, .configuring, .removing:
      guard opening == .prepare else { break }
      lap(.prepare, nil, at: time)
      opening = nil
    case .unpacked: lap(.unpack, step, at: time)
    case .triggers:
      lap(.configure, step, at: time)
      configured.insert(step)
    case .done where configured.contains(step): noteTrigger(at: time)
    case .done: lap(removes ? .remove : .configure, step, at: time)
    }
    if since == nil { since = time }
  }

  /// A trigger is done.
  mutating func noteTrigger(at time: Timestamp) {
    guard let interval = interval(to: time) else { return }
    triggers += interval
    since = time
  }

  /// Seconds for which the job is at what comes after the last package, if it is there.
  func concluding(at time: Timestamp) -> Double { triggers + (interval(to: time) ?? 0) }

  /// The result is verified.
  mutating func conclude(at time: Timestamp) {
    if let interval = interval(to: time), opening == nil {
      laps.append(Lap(stage: .conclude, step: nil, seconds: triggers + interval))
    }
    stop()
  }

  /// What goes on from here is no stage's time.
  mutating func stop() {
    since = nil
    opening = nil
  }

  /// What is read next happened while nobody looked.
  ///
  /// - Parameter steps: The steps that wait for triggers.
  mutating func catchUp(configured steps: [Int]) {
    (isCatchingUp, hasFetched) = (true, true)
    configured = Set(steps)
    stop()
  }

  /// Notes that reports have been read.
  ///
  /// Those of an earlier time come in one rush: the present begins with the first pause between two,
  /// or two seconds later.
  mutating func noteBatch(at time: Timestamp) {
    guard isCatchingUp else { return }
    let before = rush ?? (time, time)
    rush = (before.first, time)
    isCatchingUp = time.seconds(since: before.last) < 0.25 && time.seconds(since: before.first) < 2
    stop()
  }

  private mutating func lap(_ stage: CostStage, _ step: Int?, at time: Timestamp) {
    defer { since = isCatchingUp ? nil : time }
    guard let interval = interval(to: time) else { return }
    laps.append(Lap(stage: stage, step: step, seconds: interval))
    guard step != nil else { return }
    lapsOfSteps += 1
    secondsOfSteps += interval
  }

  /// Seconds of the present interval; nil where there is none, or the clock was set back.
  private func interval(to time: Timestamp) -> Double? {
    guard !isCatchingUp, let since, since <= time else { return nil }
    return time.seconds(since: since)
  }
}
