import InstallJobs

/// The times at which the packages of a job were worked on, as spans on one time scale.
///
/// Time in which a package waited between two spans is a gap in its row.
struct JobTimeline: Sendable, Hashable {
  /// The activity in a span.
  enum Activity: Sendable, Hashable, CaseIterable {
    case download
    case unpack
    case configure
    case remove
    case wait

    /// The letter for terminals without colours.
    var letter: Unicode.Scalar {
      switch self {
      case .download: "d"
      case .unpack: "u"
      case .configure: "c"
      case .remove: "r"
      case .wait: "."
      }
    }

    var word: String {
      switch self {
      case .download: "download"
      case .unpack: "unpack"
      case .configure: "configure"
      case .remove: "remove"
      case .wait: "wait"
      }
    }
  }

  /// One span of a row.
  struct Span: Sendable, Hashable {
    var activity: Activity
    /// Seconds since the job's start.
    var start: Double
    /// Seconds since the job's start; at least `start`.
    var end: Double
  }

  /// Length of the scale in seconds, at least 1.
  let length: Double
  private let start: Timestamp
  private let end: Timestamp

  /// The scale of a started job; nil for a job that has not started.
  init?(_ job: JobSnapshot) {
    guard let start = job.startedAt else { return nil }
    self.start = start
    // The scale of a running job ends at its last sign of life, since the screen has no clock of
    // its own.
    end = max(start, job.workOverAt ?? job.lastActivityAt ?? start)
    length = max(1, end.seconds(since: start))
  }

  /// The spans of one package, in order of time.
  func spans(of status: UpdateStatus) -> [Span] {
    let entries = status.phaseTimes.entries
    return entries.indices.compactMap { index in
      guard let activity = Self.activity(of: entries[index].phase) else { return nil }
      let isLast = index == entries.count - 1
      // Only the next entry or the end of the job ends a span; the last entry of a finished package
      // has no length.
      let until =
        isLast ? (status.resultCode.isFinal ? entries[index].at : end) : entries[index + 1].at
      return Span(
        activity: activity, start: position(entries[index].at), end: position(until))
    }
  }

  private func position(_ time: Timestamp) -> Double {
    min(max(0, time.seconds(since: start)), length)
  }

  private static func activity(of phase: UpdatePhase) -> Activity? {
    switch phase {
    case .pending, .done: nil
    case .downloading: .download
    case .unpacking: .unpack
    case .configuring, .triggers: .configure
    case .removing: .remove
    case .downloaded, .unpacked: .wait
    }
  }

  /// The row of one package as cells; nil for a cell without activity.
  ///
  /// A span takes at least one cell, so that short work is visible too. Work takes precedence over
  /// waiting.
  func cells(of status: UpdateStatus, columns: Int) -> [Activity?] {
    guard columns > 0 else { return [] }
    var cells: [Activity?] = Array(repeating: nil, count: columns)
    let scale = Double(columns) / length
    let spans = spans(of: status)
    for span in spans.filter({ $0.activity == .wait }) + spans.filter({ $0.activity != .wait }) {
      let first = min(columns - 1, Int(span.start * scale))
      let last = min(columns - 1, max(first, Int((span.end * scale).rounded(.up)) - 1))
      for cell in first...last { cells[cell] = span.activity }
    }
    return cells
  }

  /// Round times for the scale: at most `most` of them, in seconds.
  func marks(most: Int) -> [Double] {
    let steps: [Double] = [
      1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400,
    ]
    guard most > 0, let step = steps.first(where: { length / $0 <= Double(most) }) else {
      return [0]
    }
    return Array(stride(from: 0, through: length, by: step))
  }
}
