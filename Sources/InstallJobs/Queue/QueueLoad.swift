/// What a stretch of the queue costs: a value to which the values of its parts add up, in order.
///
/// Two things are used one job after another: the way to the archives, and the package system. Where
/// archives are fetched ahead, a job begins with its packages when the job before it has ended and
/// its own archives are there, whichever is later. If the way is free after D seconds and the package
/// system after E, the stretch is over after `max(E + packages, D + path)`.
package struct QueueLoad: Sendable, Hashable {
  /// Seconds of downloads in all.
  package private(set) var downloads = 0.0
  /// Seconds of work on packages in all.
  package private(set) var packages = 0.0
  // The longest way through that begins with downloads: those up to some job, and from that job on
  // the packages.
  private var path = -Double.infinity
  // The squares of the spreads add up, as those of independent lengths do.
  private var squares = 0.0
  /// How many jobs there are of which nothing is known.
  package private(set) var unknown = 0

  /// Nothing.
  package init() {}

  /// One job: what is expected of it, without the share of its archives that is there already.
  package init(_ job: JobSnapshot) {
    guard let expected = job.expected, expected.seconds.isFinite, expected.spreadSeconds.isFinite
    else {
      unknown = 1
      return
    }
    let size = Double(job.totalDownloadBytes)
    let missing = size > 0 ? 1 - min(1, max(0, Double(job.downloadedBytes) / size)) : 1
    downloads = max(0, expected.downloadSeconds) * missing
    packages = max(0, expected.packageSeconds)
    path = downloads + packages
    squares = expected.spreadSeconds * expected.spreadSeconds
  }

  /// The stretch together with the one behind it.
  package func followed(by next: QueueLoad) -> QueueLoad {
    var sum = QueueLoad()
    sum.downloads = downloads + next.downloads
    sum.packages = packages + next.packages
    sum.path = max(path + next.packages, downloads + next.path)
    sum.squares = squares + next.squares
    sum.unknown = unknown + next.unknown
    return sum
  }

  /// Seconds after which the stretch is over; nil where that is not known.
  fileprivate func end(after start: QueueForecast) -> Double? {
    guard unknown == 0 else { return nil }
    guard start.fetchesAhead else { return start.workLeft + downloads + packages }
    return max(start.workLeft + packages, start.downloadLeft + path)
  }

  fileprivate func spread(after start: QueueForecast) -> Double? {
    start.spread.map { (squares + $0 * $0).squareRoot() }
  }
}

/// When the jobs that wait begin and end, by what the job at work has left and by what is before them
/// in the queue.
package struct QueueForecast: Sendable, Hashable {
  /// When a job begins and ends, in seconds from now; nil where that is not known.
  package struct Times: Sendable, Hashable {
    package var start: Double
    package var end: Double?
    /// How far the end may be off in either direction.
    package var spread: Double?

    /// A value of its parts.
    package init(start: Double, end: Double?, spread: Double?) {
      self.start = start
      self.end = end
      self.spread = spread
    }
  }

  /// Seconds that the job at work has left; 0 where none works.
  package var workLeft: Double
  /// Seconds that its downloads have left.
  package var downloadLeft: Double
  /// How far ``workLeft`` may be off; nil where that is not known.
  package var spread: Double?
  /// Whether archives of jobs that wait are fetched while another job works.
  package var fetchesAhead: Bool

  /// A value of its parts.
  package init(
    workLeft: Double = 0, downloadLeft: Double = 0, spread: Double? = 0, fetchesAhead: Bool
  ) {
    self.workLeft = workLeft
    self.downloadLeft = downloadLeft
    self.spread = spread
    self.fetchesAhead = fetchesAhead
  }

  /// When a job has its turn and is over.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - ahead: What is before it in the queue.
  /// - Returns: Nil where even its begin is not known.
  package func times(of job: QueueLoad, behind ahead: QueueLoad) -> Times? {
    guard let start = ahead.end(after: self), start.isFinite else { return nil }
    let whole = ahead.followed(by: job)
    let end = whole.end(after: self)
    return Times(
      start: max(0, start), end: end.map { max(0, $0) },
      spread: end.flatMap { _ in whole.spread(after: self) })
  }
}

extension JobSnapshot {
  /// Seconds that a job has left which has just begun and tells no end yet: what is expected, less
  /// the time that has gone by.
  package func expectedLeft(at time: Timestamp) -> Double? {
    guard state == .downloading || state == .installing, !isStalled, !isHeld, let expected,
      let start = startedAt
    else { return nil }
    let gone = time.seconds(since: start)
    guard gone >= 0, gone < Self.settlingSeconds || percentComplete < Self.settlingPercent else {
      return nil
    }
    let left = expected.seconds - gone
    return left > 0 ? left : nil
  }

  /// Seconds of work, and per cent, below which the end of a job that has begun is a guess.
  package static let settlingSeconds = 3.0
  package static let settlingPercent = 2.0
}
