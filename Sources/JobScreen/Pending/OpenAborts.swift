import InstallJobs

/// When the aborts were asked for here that the engine has not answered.
///
/// That a job has one is its entry's to say; this is what the age is counted from, on the clock of
/// this machine, so that an engine whose clock is wrong, or that is gone, does not matter.
struct OpenAborts: Sendable {
  /// Seconds after which an abort that is not answered is called not acknowledged.
  static let answerTimeout = 5

  private var requestTimes: [JobID: Timestamp] = [:]
  // When the first of those that are open was asked for: all ages are renewed in its rhythm.
  private var since: Timestamp?

  init() {}

  /// Whether every abort was answered.
  var isEmpty: Bool { requestTimes.isEmpty }

  /// Notes that jobs were asked to stop.
  mutating func ask(_ jobs: [JobID], at time: Timestamp?) {
    guard let time else { return }
    since = since ?? time
    for job in jobs { requestTimes[job] = time }
  }

  /// Notes an answer, or that none will come.
  mutating func close(_ job: JobID) {
    requestTimes[job] = nil
    if requestTimes.isEmpty { since = nil }
  }

  /// Whole seconds since the job was asked to stop; nil when it was not, or when that is not known.
  func age(of job: JobID, at time: Timestamp?) -> Int? {
    guard let time, let asked = requestTimes[job] else { return nil }
    return Int(time.seconds(since: asked).bounded(to: 0...1e9))
  }

  /// The jobs whose aborts the engine has not answered for too long.
  func unacknowledged(at time: Timestamp?) -> Set<JobID> {
    Set(requestTimes.keys.filter { age(of: $0, at: time) ?? 0 >= Self.answerTimeout })
  }

  /// When the next abort is not acknowledged; nil where none will be.
  func nextUnacknowledged(after time: Timestamp) -> Timestamp? {
    requestTimes.values.map { $0.advanced(bySeconds: Double(Self.answerTimeout)) }.filter {
      $0 > time
    }.min()
  }

  /// When the ages are to be renewed; nil while nothing is open.
  func nextChange(after time: Timestamp) -> Timestamp? {
    guard let since else { return nil }
    let age = time.seconds(since: since).bounded(to: 0...1e9).rounded(.down)
    return since.advanced(bySeconds: age + 1)
  }
}
