/// The expected work of consecutive jobs of the queue; loads of parts can be combined in order.
///
/// The jobs share two resources, each used by one job at a time: the downloads and the package
/// system. With downloads ahead, a job starts with its packages when the job before has ended and
/// its own archives are there, whichever is later. If the downloads are free after D seconds and
/// the package system after E, the jobs end after `max(E + packages, D + path)`.
package struct QueueLoad: Sendable, Hashable {
  /// Total seconds of downloads.
  package private(set) var downloads = 0.0
  /// Total seconds of work on packages.
  package private(set) var packages = 0.0
  // The longest path that starts with downloads: the downloads up to some job, then the packages
  // from that job on.
  private var path = -Double.infinity
  // The sum of the squared uncertainties, assuming independent durations.
  private var squares = 0.0
  /// Number of jobs without an estimate.
  package private(set) var unknown = 0

  /// Creates an empty load.
  package init() {}

  /// Creates the load of one job, without the downloaded part of its archives.
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

  /// Returns the load of these jobs followed by `next`.
  package func followed(by next: QueueLoad) -> QueueLoad {
    var sum = QueueLoad()
    sum.downloads = downloads + next.downloads
    sum.packages = packages + next.packages
    sum.path = max(path + next.packages, downloads + next.path)
    sum.squares = squares + next.squares
    sum.unknown = unknown + next.unknown
    return sum
  }

  /// Returns the seconds after which the jobs end; nil if unknown.
  fileprivate func end(after start: QueueForecast) -> Double? {
    guard unknown == 0 else { return nil }
    guard start.fetchesAhead else { return start.workLeft + downloads + packages }
    return max(start.workLeft + packages, start.downloadLeft + path)
  }

  fileprivate func spread(after start: QueueForecast) -> Double? {
    start.spread.map { (squares + $0 * $0).squareRoot() }
  }
}

/// Estimates when waiting jobs start and end, from the remaining time of the running job and the
/// queue before them.
package struct QueueForecast: Sendable, Hashable {
  /// Start and end of a job in seconds from now; `end` and `spread` are nil if unknown.
  package struct Times: Sendable, Hashable {
    package var start: Double
    package var end: Double?
    /// Uncertainty of the end in either direction, in seconds.
    package var spread: Double?

    /// Creates a value from its parts.
    package init(start: Double, end: Double?, spread: Double?) {
      self.start = start
      self.end = end
      self.spread = spread
    }
  }

  /// Remaining seconds of the running job; 0 if none is running.
  package var workLeft: Double
  /// Remaining seconds of the running job's downloads.
  package var downloadLeft: Double
  /// Uncertainty of ``workLeft`` in seconds; nil if unknown.
  package var spread: Double?
  /// Whether archives of waiting jobs are downloaded while another job runs.
  package var fetchesAhead: Bool

  /// Creates a value from its parts.
  package init(
    workLeft: Double = 0, downloadLeft: Double = 0, spread: Double? = 0, fetchesAhead: Bool
  ) {
    self.workLeft = workLeft
    self.downloadLeft = downloadLeft
    self.spread = spread
    self.fetchesAhead = fetchesAhead
  }

  /// Returns when a job starts and ends.
  ///
  /// - Parameters:
  ///   - job: The load of the job.
  ///   - ahead: The load of the jobs before it in the queue.
  /// - Returns: Nil if the start is unknown.
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
  /// Returns the remaining seconds of a job that has just started and reports no `etaSeconds` yet:
  /// the expected duration minus the elapsed time.
  package func expectedLeft(at time: Timestamp) -> Double? {
    guard state == .downloading || state == .installing, !isStalled, !isPaused, let expected,
      let start = startedAt
    else { return nil }
    let gone = time.seconds(since: start)
    guard gone >= 0, gone < Self.settlingSeconds || percentComplete < Self.settlingPercent else {
      return nil
    }
    let left = expected.seconds - gone
    return left > 0 ? left : nil
  }

  /// Seconds of work, and percentage done, below which the end of a started job cannot be
  /// estimated.
  package static let settlingSeconds = 3.0
  package static let settlingPercent = 2.0
}
