import Canvas
import InstallJobs

@testable import JobText
@testable import Monitor

/// A job that ended, with the events that its journal has.
struct RecordedScene {
  /// The job as it is now.
  private(set) var job: JobSnapshot
  private(set) var events: [JobEvent] = []
  /// Where the clock stands, in seconds.
  var second = 0.0
  private var percent: Double?
  private var logLength: Int64 = 0

  /// A job that has just been submitted.
  ///
  /// - Parameters:
  ///   - job: As it was planned.
  ///   - isNoted: Whether events carry how far the job was.
  init(_ job: JobSnapshot, isNoted: Bool = true) {
    self.job = job
    percent = isNoted ? 0 : nil
    note(.submitted(job.withoutPlan))
  }

  /// Stores an event at the present second.
  mutating func note(_ payload: JobEvent.Payload) {
    let standing = percent.map {
      JobEvent.ProgressMark(percentComplete: $0, logLength: logLength > 0 ? logLength : nil)
    }
    let event = JobEvent(
      seq: 100 + events.count, at: Scene.at(second), job: job.id, payload: payload,
      progressMark: standing)
    events.append(event)
    job.apply(event)
  }

  mutating func enter(_ state: JobState, step: Int? = nil) {
    var change = JobStateChange(
      state, abortPreview: .accepted(stopsAfter: step.flatMap { job.plan?[$0].name }))
    change.currentStepIndex = step
    change.currentUpdateIndex = step.flatMap { job.updateSteps.firstIndex(of: $0) }
    note(.state(change))
  }

  mutating func move(_ step: Int, to phase: UpdatePhase, percent share: Double) {
    guard var status = job.plan?[step] else { return }
    status.phase = phase
    status.phaseTimes.record(phase, at: Scene.at(second))
    status.percentComplete = share
    status.resultCode = phase == .done ? .succeeded : .inProgress
    if phase > .downloading { status.downloadedBytes = status.planned.downloadSize }
    note(.update(index: step, status: status))
  }

  /// What the whole job and its log have come to.
  mutating func reach(_ percent: Double, log: Int64) {
    if self.percent != nil { (self.percent, logLength) = (percent, log) }
  }

  mutating func end(_ code: OperationResultCode = .succeeded) {
    note(
      .completed(
        JobOutcome(
          state: .completed, resultCode: code, percentComplete: code == .succeeded ? 100 : 40,
          error: code == .succeeded ? nil : Scene.scriptError, requiresReboot: false,
          rebootReasons: [], exitStatus: 0, repairs: [], updates: job.updates)))
  }

  /// A life of packages, each 10 s of unpacking and 10 s of configuring, that waited for 30 s.
  static func life(_ count: Int = 3, isNoted: Bool = true) -> RecordedScene {
    let steps = (0..<count).map { Scene.planned("p\($0)", size: 0, isRequested: $0 < 5) }
    var scene = RecordedScene(Scene.job(12, steps), isNoted: isNoted)
    scene.second = 30
    scene.enter(.installing)
    for step in 0..<count {
      let share = 99.0 / Double(count)
      scene.second += 1
      scene.move(step, to: .unpacking, percent: 0)
      scene.enter(.installing, step: step)
      scene.second += 9
      scene.reach(share * (Double(step) + 0.4), log: Int64(step * 20 + 10))
      scene.move(step, to: .configuring, percent: 40)
      scene.second += 10
      scene.reach(share * Double(step + 1), log: Int64(step * 20 + 20))
      scene.move(step, to: .done, percent: 100)
    }
    scene.enter(.finalizing)
    scene.second += 1
    scene.end()
    return scene
  }

  /// The log that ``life(_:isNoted:)`` wrote: two lines of ten bytes for each package.
  static func log(_ count: Int = 3) -> String {
    (0..<count * 2).map { "line \(Figures.twoDigits($0))..\n" }.joined()
  }

  /// The request for its recording that a monitor makes as its first, second and so on.
  func request(_ number: Int = 1) -> RecordingRequest { RecordingRequest(job.id, number: number) }

  /// What the journal has of it.
  var recording: Recording? { recording(logLength: logLength) }

  func recording(logLength: Int64, events: [JobEvent]? = nil) -> Recording? {
    var arrived = ArrivingRecording(request(), from: [.queue])
    arrived.begin(job, logLength: logLength)
    arrived.append(events ?? self.events)
    return Recording(arrived)
  }

  /// A monitor in which the replay of the job was opened, at rest where its work began.
  func monitor(_ size: Size = Size(columns: 80, rows: 24), log: String = log()) -> MonitorState {
    var state = Scene.monitor([job] + Scene.queue, size: size)
    _ = state.update(.clock(Scene.at(1000)))
    Scene.press([.character(":")] + Scene.typed("job 12") + [.enter], in: &state)
    Scene.answer(&state, [job], log: log)
    Scene.press([.character("v")], in: &state)
    let length = Int64(log.utf8.count)
    _ = state.update(.replay(.begin(request(), job, logLength: length)))
    _ = state.update(.replay(.events(request(), events)))
    for case .fetchRecordedLog(let id, let from) in state.update(.replay(.end(request()))) {
      _ = state.update(.replay(.log(id, asked: from, offset: from, text: log)))
    }
    return Self.answering(&state, log, Scene.press([.character(" ")], in: &state))
  }

  /// Presses keys and gives what they ask of the log.
  static func press(_ keys: [Key], in state: inout MonitorState, log: String = log()) {
    for key in keys { state = answering(&state, log, Scene.press([key], in: &state)) }
  }

  private static func answering(_ state: inout MonitorState, _ log: String, _ intents: [Intent])
    -> MonitorState
  {
    for case .fetchRecordedLog(let id, let from) in intents {
      _ = state.update(.replay(.log(id, asked: from, offset: from, text: log)))
    }
    return state
  }
}

extension Screens {
  /// Screens of jobs that are over, as they were.
  static let replayed: [Case] = [
    Case(name: "replay") { size in
      var state = RecordedScene.life().monitor(size)
      RecordedScene.press(
        [.character("]"), .character("]"), .character("+"), .right, .right], in: &state)
      return state
    },
    Case(name: "replay-opened") { size in
      let scene = RecordedScene.life(isNoted: false)
      var state = Scene.monitor([scene.job], size: size)
      _ = state.update(.replay(.wanted(scene.job.id, speed: 4)))
      _ = state.update(.replay(.begin(scene.request(), scene.job, logLength: 0)))
      _ = state.update(.replay(.events(scene.request(), scene.events)))
      _ = state.update(.replay(.end(scene.request())))
      return state
    },
    Case(name: "replay-end") { size in
      var state = RecordedScene.life().monitor(size)
      RecordedScene.press([.end], in: &state)
      return state
    },
    Case(name: "replay-log") { size in
      var state = RecordedScene.life().monitor(size)
      _ = state.update(.link(.lost(retryIn: 3)))
      RecordedScene.press([.character("]"), .character("]"), .character("3")], in: &state)
      return state
    },
    Case(name: "replay-timeline") { size in
      var state = RecordedScene.life().monitor(size)
      RecordedScene.press(
        [.character("]"), .character("]"), .character("]"), .character("5")], in: &state)
      return state
    },
    Case(name: "replay-help") { size in
      var state = RecordedScene.life().monitor(size)
      RecordedScene.press([.character("?")], in: &state)
      return state
    },
  ]
}
