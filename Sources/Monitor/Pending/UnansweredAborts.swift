import InstallJobs
import JobText

/// Request times of the aborts requested here that the engine has not answered.
///
/// ``JobStore/Entry/isAbortAsked`` says whether a job has one. The times are by the clock of this
/// machine, so that a wrong clock of the engine or a lost connection does not matter.
struct UnansweredAborts: Sendable {
  /// Seconds after which an unanswered abort is shown as not acknowledged.
  static let answerTimeout = 5

  private var requestTimes: [JobID: Timestamp] = [:]
  // The oldest request time; all ages are redrawn in its rhythm.
  private var since: Timestamp?

  init() {}

  /// Whether every abort was answered.
  var isEmpty: Bool { requestTimes.isEmpty }

  /// Records that the abort of jobs was requested.
  mutating func ask(_ jobs: [JobID], at time: Timestamp?) {
    guard let time else { return }
    since = since ?? time
    for job in jobs { requestTimes[job] = time }
  }

  /// Records an answer, or that none will come.
  mutating func close(_ job: JobID) {
    requestTimes[job] = nil
    if requestTimes.isEmpty { since = nil }
  }

  /// Whole seconds since the abort of the job was requested; nil if it was not, or at an unknown
  /// time.
  func age(of job: JobID, at time: Timestamp?) -> Int? {
    guard let time, let asked = requestTimes[job] else { return nil }
    return Int(time.seconds(since: asked).bounded(to: 0...1e9))
  }

  /// Jobs whose aborts are unanswered for at least ``answerTimeout`` seconds.
  func unacknowledged(at time: Timestamp?) -> Set<JobID> {
    Set(requestTimes.keys.filter { age(of: $0, at: time) ?? 0 >= Self.answerTimeout })
  }

  /// When the next abort reaches ``answerTimeout``; nil if none will.
  func nextUnacknowledged(after time: Timestamp) -> Timestamp? {
    requestTimes.values.map { $0.advanced(bySeconds: Double(Self.answerTimeout)) }.filter {
      $0 > time
    }.min()
  }

  /// When the shown ages change next; nil if every abort was answered.
  func nextChange(after time: Timestamp) -> Timestamp? {
    guard let since else { return nil }
    let age = time.seconds(since: since).bounded(to: 0...1e9).rounded(.down)
    return since.advanced(bySeconds: age + 1)
  }
}
