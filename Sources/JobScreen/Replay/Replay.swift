import InstallJobs

/// A job that is over, shown as it stood at a moment of its life: at rest, or going on at a speed.
struct Replay: Sendable {
  /// What is shown.
  let recording: Recording
  /// The moment that is shown, by the engine's clock; from the recording's begin to its end.
  private(set) var moment: Timestamp
  /// Seconds of the recording for each second here.
  private(set) var speed: Int
  /// Whether it goes on by itself.
  private(set) var isPlaying: Bool
  /// The job at the moment, as the only job of its book.
  private(set) var book = JobStore()
  /// The log up to the moment.
  private(set) var log: LogTail
  /// A piece of the log was asked for and has not come.
  private(set) var isLogAwaited = false
  /// Why the piece of the log could not be had.
  private(set) var logFailure: String?

  // The time here up to which the moment was brought.
  private var reached: Timestamp?
  /// What is not recorded and may be missed: said as long as the replay is shown.
  let note: String
  // The job after so many events, without what is added for looking.
  private var known: (count: Int, job: JobSnapshot)
  private var window: ReplayLog?

  /// The most seconds of the recording for each second here.
  static let fastest = 64
  /// The least seconds here between two moments that are shown.
  static let pause = 0.1

  /// A replay that stands where the job's work began, and goes on from there.
  ///
  /// - Parameters:
  ///   - recording: What is shown.
  ///   - speed: Seconds of the recording for each second here.
  ///   - here: The time of this machine; nil before it was told.
  ///   - note: What is not recorded and may be missed.
  init(
    _ recording: Recording, speed: Int = 1, at here: Timestamp? = nil, note: String = ""
  ) {
    self.note = note
    self.recording = recording
    self.speed = min(max(1, speed), Self.fastest)
    reached = here
    moment = recording.workBegin
    isPlaying = recording.workBegin < recording.end
    known = (0, recording.job(after: 0))
    log = LogTail(job: recording.job.id)
    show()
  }

  /// Which job it is.
  var job: JobID { recording.job.id }
  /// Whether the job is shown as it ended.
  var isAtEnd: Bool { moment >= recording.end }
  /// Seconds from the recording's begin.
  var elapsed: Double { moment.seconds(since: recording.begin) }
  /// Seconds from the recording's begin to its end.
  var length: Double { recording.end.seconds(since: recording.begin) }
  /// The share of the recording that lies behind, 0...1.
  var fraction: Double { length > 0 ? elapsed / length : 1 }
  /// Whether it was recorded by then how far the job was.
  var isPercentKnown: Bool { isAtEnd || recording.percent(after: known.count) != nil }
  /// Until when the log is shown; nil where that was not noted, and at the end.
  var logRead: Timestamp? { recording.log(after: known.count).read }
  /// Whether there was a log by then of which nothing is at hand.
  var isLogMissing: Bool { log.lines.isEmpty && recording.log(after: known.count).length > 0 }

  // MARK: Going on

  /// Brings the moment to where the time here has got it.
  mutating func advance(to here: Timestamp) {
    guard isPlaying else { return }
    defer { reached = here }
    guard let reached, here > reached else { return }
    let seconds = here.seconds(since: reached) * Double(speed)
    go(to: moment.advanced(bySeconds: seconds.bounded(to: 0...1e9)))
    if isAtEnd { isPlaying = false }
  }

  /// The time here at which something else is to be shown; nil at rest.
  func nextMoment(after here: Timestamp) -> Timestamp? {
    guard isPlaying else { return nil }
    // A figure of seconds changes, or something happened.
    let whole = elapsed.rounded(.down) + 1 - elapsed
    let next = recording.next(after: known.count).map { $0.seconds(since: moment) } ?? whole
    let seconds = max(Self.pause, min(whole, max(0, next)) / Double(speed))
    return here.advanced(bySeconds: seconds)
  }

  /// Goes on, from the begin of the work where the end is shown; or rests.
  mutating func turnPlaying(at here: Timestamp?) {
    isPlaying.toggle()
    reached = here
    if isPlaying, isAtEnd { go(to: recording.workBegin) }
    if isAtEnd { isPlaying = false }
  }

  /// Doubles the speed, or halves it; within 1 and ``fastest``.
  mutating func changeSpeed(faster: Bool) {
    speed = faster ? min(Self.fastest, speed * 2) : max(1, speed / 2)
  }

  // MARK: Going elsewhere

  /// Goes to a moment; the nearest one that is recorded.
  mutating func go(to moment: Timestamp) {
    self.moment = min(max(recording.begin, moment), recording.end)
    if isAtEnd { isPlaying = false }
    show()
  }

  mutating func go(by seconds: Double) { go(to: moment.advanced(bySeconds: seconds)) }

  /// Goes to the next moment worth it, the end at last.
  mutating func goToNextMark() {
    go(to: recording.marks.first { $0 > moment } ?? recording.end)
  }

  /// Goes to the moment worth it before; while it goes on, one that has just passed does not count.
  mutating func goToPreviousMark() {
    let passed = isPlaying ? moment.advanced(bySeconds: -Double(speed)) : moment
    go(to: recording.marks.last { $0 < passed } ?? recording.begin)
  }

  // MARK: Showing

  private mutating func show() {
    let count = recording.count(at: moment)
    known = (count, recording.job(after: count, known: known))
    var job = known.job
    if !job.state.isFinal {
      job.percentComplete = recording.percent(after: count) ?? 0
      job.abortPreview = recording.abortPreview(after: count) ?? job.abortPreview
      // Only of what is over it is known when it ended.
      job.lastActivityAt = moment
      if job.state == .downloading, let plan = job.plan {
        job.downloadedBytes = plan.lazy.map(\.downloadedBytes).total
      }
    }
    book.replaceAll(with: [job.id: JobStore.Entry(job: job)], keepingPlanOf: nil)
    showLog()
  }

  private mutating func showLog() {
    let length = recording.log(after: known.count).length
    guard let window, window.holds(length) else {
      log = LogTail(job: job)
      return
    }
    log = window.tail(upTo: length, of: job)
  }

  /// The byte from which on a piece of the log is to be asked for; nil where what is needed is at
  /// hand, or was asked for.
  mutating func askForLog() -> Int64? {
    let length = recording.log(after: known.count).length
    let start = ReplayLog.start(for: length, of: recording.logLength)
    guard length > 0, !isLogAwaited, window?.asked != start, logFailure == nil else { return nil }
    isLogAwaited = true
    return start
  }

  /// Takes the piece of the log that was asked for.
  mutating func apply(logFrom asked: Int64, offset: Int64, text: String) {
    isLogAwaited = false
    window = ReplayLog(asked: asked, offset: offset, text: text)
    showLog()
  }

  /// Takes that a piece of the log cannot be had.
  mutating func applyLogFailure(_ error: InstallationError) {
    isLogAwaited = false
    logFailure = error.message
  }

  /// Asks for the log again after a failure, once the engine is back.
  mutating func forgetLogFailure() {
    isLogAwaited = false
    logFailure = nil
  }
}
