import InstallJobs
import PackageTools

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
  private var opening: CostStage?
  /// Seconds that belong to what comes after the last package.
  private var triggers = 0.0
  /// The steps that are configured, of which some still wait for triggers.
  private var configured: Set<Int> = []
  /// When the last report of an earlier time was read; nil once reports are of the present.
  private var caughtUp: Timestamp?
  private var isCatchingUp = false

  /// The steps' laps.
  var lapsOfSteps: [Lap] { laps.filter { $0.step != nil } }

  /// The work enters a stage.
  mutating func enter(_ stage: WorkStage, at time: Timestamp) {
    if opening == .download { lap(.download, nil, at: time) }
    since = time
    switch stage {
    case .downloading: opening = .connect
    case .waitingForLock: stop()
    case .installing: opening = .prepare
    }
  }

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
  mutating func catchUp() {
    isCatchingUp = true
    stop()
  }

  /// Notes that reports have been read.
  ///
  /// Those of an earlier time come in one rush: the present begins with the first pause between two.
  mutating func noteBatch(at time: Timestamp) {
    guard isCatchingUp else { return }
    let pause = caughtUp.map { time.seconds(since: $0) } ?? 0
    caughtUp = time
    isCatchingUp = pause < 0.25
    stop()
  }

  private mutating func lap(_ stage: CostStage, _ step: Int?, at time: Timestamp) {
    defer { since = isCatchingUp ? nil : time }
    guard let interval = interval(to: time) else { return }
    laps.append(Lap(stage: stage, step: step, seconds: interval))
  }

  /// Seconds of the present interval; nil where there is none, or the clock was set back.
  private func interval(to time: Timestamp) -> Double? {
    guard !isCatchingUp, let since, since <= time else { return nil }
    return time.seconds(since: since)
  }
}
