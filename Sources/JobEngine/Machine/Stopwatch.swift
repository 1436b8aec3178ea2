import InstallJobs
import PackageProvider

/// Measures the duration of each stage of one job's work.
///
/// Every interval between two reports belongs to the stage that ends with the later report, so the
/// laps add up to the duration of the work, including the package tool's pauses between two
/// packages. An interval that cannot be assigned to a stage (a failure, a set clock, reports from
/// before this engine) is no lap.
package struct Stopwatch: Sendable {
  /// The duration of one stage.
  package struct Lap: Sendable, Hashable {
    package var stage: CostStage
    /// The plan's step; nil for a stage of the job as a whole.
    package var step: Int?
    package var seconds: Double
  }

  /// The completed laps, in the order of their ends.
  private(set) var laps: [Lap] = []
  /// When the present interval began; nil when there is none.
  private(set) var since: Timestamp?
  /// The present stage of the job as a whole; nil while single packages are worked on.
  private(set) var opening: CostStage?
  /// Seconds of triggers so far, which belong to the stage after the last package.
  private var triggers = 0.0
  /// The configured steps, some of which still wait for triggers.
  private var configured: Set<Int> = []
  /// Whether archives were there before: a job that fetches only some of its archives gives no
  /// rate.
  private var hasFetched = false
  private var isCatchingUp = false
  /// When the first and the latest batch of earlier reports were read.
  private var rush: (first: Timestamp, last: Timestamp)?

  /// Number of laps of packages.
  private(set) var lapsOfSteps = 0
  /// Total seconds of the laps of packages.
  private(set) var secondsOfSteps = 0.0

  /// Records that the work enters a stage.
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

  /// Records that some archives are there already: the time of the download gives no rate, and the
  /// time to its first byte gives no connection time.
  mutating func noteArchives() { hasFetched = true }

  /// Records that bytes of an archive have arrived.
  mutating func noteTransfer(at time: Timestamp) {
    guard opening == .connect else { return }
    lap(.connect, nil, at: time)
    opening = .download
  }

  /// Records that a step enters a phase.
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

  /// Records that a trigger is done.
  mutating func noteTrigger(at time: Timestamp) {
    guard let interval = interval(to: time) else { return }
    triggers += interval
    since = time
  }

  /// Seconds spent in the stage after the last package; meaningful only in that stage.
  func concluding(at time: Timestamp) -> Double { triggers + (interval(to: time) ?? 0) }

  /// Records that the result is verified.
  mutating func conclude(at time: Timestamp) {
    if let interval = interval(to: time), opening == nil {
      laps.append(Lap(stage: .conclude, step: nil, seconds: triggers + interval))
    }
    stop()
  }

  /// Ends the present interval without a lap.
  mutating func stop() {
    since = nil
    opening = nil
  }

  /// Prepares for reports of work that ran while no engine followed it.
  ///
  /// - Parameter steps: The steps that wait for triggers.
  mutating func catchUp(configured steps: [Int]) {
    (isCatchingUp, hasFetched) = (true, true)
    configured = Set(steps)
    stop()
  }

  /// Records that a batch of reports was read.
  ///
  /// Earlier reports arrive in quick succession. They end at the first pause of at least 0.25 s
  /// between two batches, or 2 s after the first batch.
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

  /// Seconds of the present interval; nil when there is none, or the clock was set back.
  private func interval(to time: Timestamp) -> Double? {
    guard !isCatchingUp, let since, since <= time else { return nil }
    return time.seconds(since: since)
  }
}
