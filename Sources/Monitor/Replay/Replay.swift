import InstallJobs
import JobText

/// A replay of an ended job: its recorded state at a moment, paused or playing at a speed.
struct Replay: Sendable {
  /// The recording.
  let recording: Recording
  /// The shown moment, by the engine's clock; from the recording's begin to its end.
  private(set) var moment: Timestamp
  /// The speed, in seconds of the recording for each second here.
  private(set) var speed: Int
  /// Whether the moment moves forward by itself.
  private(set) var isPlaying: Bool
  /// The job at the moment, as the only job of a store.
  private(set) var book = JobStore()
  /// The log up to the moment.
  private(set) var log: LogTail
  /// Whether a requested piece of the log has not arrived.
  private(set) var isLogAwaited = false
  /// Why the last request for a piece of the log failed; nil without a failure.
  private(set) var logFailure: String?

  // The time here that corresponds to the shown moment.
  private var reached: Timestamp?
  /// The gaps of the recording, shown as long as the replay.
  let note: String
  // The job after a number of events, without the values added for display.
  private var known: (count: Int, job: JobSnapshot)
  private var window: ReplayLog?

  /// The highest speed.
  static let fastest = 64
  /// The shortest time in seconds between two frames of the replay.
  static let pause = 0.1

  /// A replay that plays from the beginning of the job's work.
  ///
  /// - Parameters:
  ///   - recording: The recording.
  ///   - speed: The speed, 1...64, in seconds of the recording for each second here.
  ///   - here: The time of this machine; nil before the first clock event.
  ///   - note: The gaps of the recording.
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

  /// The replayed job.
  var job: JobID { recording.job.id }
  /// Whether the end of the recording is shown.
  var isAtEnd: Bool { moment >= recording.end }
  /// Seconds since the recording's begin.
  var elapsed: Double { moment.seconds(since: recording.begin) }
  /// Length of the recording in seconds.
  var length: Double { recording.end.seconds(since: recording.begin) }
  /// The played share of the recording, 0...1.
  var fraction: Double { length > 0 ? elapsed / length : 1 }
  /// Whether the job's progress at the moment is recorded.
  var isPercentKnown: Bool { isAtEnd || recording.percent(after: known.count) != nil }
  /// The time up to which the log is shown; nil if not recorded, and at the end.
  var logRead: Timestamp? { recording.log(after: known.count).read }
  /// Whether the job had a log by then of which nothing is loaded.
  var isLogMissing: Bool { log.lines.isEmpty && recording.log(after: known.count).length > 0 }

  // MARK: Playing

  /// Moves the moment forward by the time that has passed here, times the speed.
  mutating func advance(to here: Timestamp) {
    guard isPlaying else { return }
    defer { reached = here }
    guard let reached, here > reached else { return }
    let seconds = here.seconds(since: reached) * Double(speed)
    go(to: moment.advanced(bySeconds: seconds.bounded(to: 0...1e9)))
    if isAtEnd { isPlaying = false }
  }

  /// The time here at which the shown replay changes next; nil while paused.
  func nextMoment(after here: Timestamp) -> Timestamp? {
    guard isPlaying else { return nil }
    // The change is the next full second or the next event, whichever comes first.
    let whole = elapsed.rounded(.down) + 1 - elapsed
    let next = recording.next(after: known.count).map { $0.seconds(since: moment) } ?? whole
    let seconds = max(Self.pause, min(whole, max(0, next)) / Double(speed))
    return here.advanced(bySeconds: seconds)
  }

  /// Plays or pauses; at the end, plays again from the beginning of the work.
  mutating func togglePlaying(at here: Timestamp?) {
    isPlaying.toggle()
    reached = here
    if isPlaying, isAtEnd { go(to: recording.workBegin) }
    if isAtEnd { isPlaying = false }
  }

  /// Doubles or halves the speed, between 1 and ``fastest``.
  mutating func changeSpeed(faster: Bool) {
    speed = faster ? min(Self.fastest, speed * 2) : max(1, speed / 2)
  }

  // MARK: Jumping

  /// Jumps to a moment, limited to the range of the recording.
  mutating func go(to moment: Timestamp) {
    self.moment = min(max(recording.begin, moment), recording.end)
    if isAtEnd { isPlaying = false }
    show()
  }

  mutating func go(by seconds: Double) { go(to: moment.advanced(bySeconds: seconds)) }

  /// Jumps to the next mark, or to the end after the last one.
  mutating func goToNextMark() {
    go(to: recording.marks.first { $0 > moment } ?? recording.end)
  }

  /// Jumps to the previous mark.
  ///
  /// While playing, a mark passed within the last second here does not count.
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
      // The last activity of a running job is not recorded; the moment stands in for it.
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

  /// Starts a request for the log: the byte to read from.
  ///
  /// Nil if the log is loaded, awaited or failed.
  mutating func askForLog() -> Int64? {
    let length = recording.log(after: known.count).length
    let start = ReplayLog.start(for: length, of: recording.logLength)
    guard length > 0, !isLogAwaited, window?.asked != start, logFailure == nil else { return nil }
    isLogAwaited = true
    return start
  }

  /// Applies the requested piece of the log.
  mutating func apply(logFrom asked: Int64, offset: Int64, text: String) {
    isLogAwaited = false
    window = ReplayLog(asked: asked, offset: offset, text: text)
    showLog()
  }

  /// Records that a piece of the log cannot be fetched.
  mutating func applyLogFailure(_ error: InstallationError) {
    isLogAwaited = false
    logFailure = error.message
  }

  /// Allows a new request for the log after a failure, once the engine is back.
  mutating func forgetLogFailure() {
    isLogAwaited = false
    logFailure = nil
  }
}
