/// Reads the durable events of one job page by page, to an end that no engine can put off.
///
/// No job of an honest engine comes near the bounds; what lies behind them is not read, and
/// ``isCut`` says so.
package struct RecordingReader: Sendable {
  /// The most that is read of one job.
  package struct Bounds: Sendable {
    /// Events, those that cannot be read among them.
    package var events: Int
    /// Bytes that their pages come in.
    package var bytes: Int

    package init(events: Int = 200_000, bytes: Int = 128 << 20) {
      (self.events, self.bytes) = (events, bytes)
    }
  }

  /// How many events could not be read and were left out.
  package private(set) var leftOut = 0
  /// Whether the engine has more than is read.
  package private(set) var isCut = false

  private let session: UpdateSession
  private let job: JobID
  private let bounds: Bounds
  private var after: Int? = 0
  private var events = 0
  private var bytes = 0
  private var lastSeq = 0

  /// - Parameters:
  ///   - job: Whose events are read, from the first one on.
  ///   - session: The engine.
  ///   - bounds: The most that is read.
  package init(_ job: JobID, of session: UpdateSession, bounds: Bounds = Bounds()) {
    (self.job, self.session, self.bounds) = (job, session, bounds)
  }

  /// The next page; nil behind the last one.
  ///
  /// An event whose number is not beyond the one before it was told already, and is not told again.
  ///
  /// - Throws: As ``UpdateSession/recordedEvents(of:after:)`` does.
  package mutating func next() async throws(InstallationError) -> RecordedEvents? {
    guard let seq = after else { return nil }
    var page = try await session.recordedEvents(of: job, after: seq)
    let room = bounds.events - events
    events += page.events.count + page.leftOut
    bytes += page.bytes
    leftOut += page.leftOut
    let isFull = events >= bounds.events || bytes >= bounds.bytes
    isCut = page.events.count > room || isFull && page.next != nil
    page.events = Array(page.events.prefix(max(0, room)))
    if isCut { page.next = nil }
    after = page.next
    page.events.removeAll { event in
      guard event.seq > lastSeq else { return true }
      lastSeq = event.seq
      return false
    }
    return page
  }

  /// What was not read so far of what the engine has, for people; empty where all was.
  package var gaps: [String] {
    var gaps: [String] = []
    if isCut {
      gaps.append("the engine has more of job \(job) than is read: only its beginning was told")
    }
    if leftOut > 0 {
      gaps.append(
        "\(leftOut) event\(leftOut == 1 ? "" : "s") of job \(job) could not be read and"
          + " \(leftOut == 1 ? "is" : "are") left out: use the same version on both sides")
    }
    return gaps
  }
}
