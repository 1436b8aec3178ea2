/// Reads the durable events of one job page by page, up to fixed bounds.
///
/// The bounds protect against an engine that sends events without end; no real job comes near them.
/// Events beyond the bounds are not read, and ``isCut`` is true then.
package struct RecordingReader: Sendable {
  /// The bounds for one job.
  package struct Bounds: Sendable {
    /// Maximum number of events, including unreadable events.
    package var events: Int
    /// Maximum total size of the pages, in bytes.
    package var bytes: Int

    package init(events: Int = 200_000, bytes: Int = 128 << 20) {
      (self.events, self.bytes) = (events, bytes)
    }
  }

  /// Number of events left out because they could not be read.
  package private(set) var leftOut = 0
  /// Whether the engine has more events than the bounds allow.
  package private(set) var isCut = false

  private let session: UpdateSession
  private let job: JobID
  private let bounds: Bounds
  private var after: Int? = 0
  private var events = 0
  private var bytes = 0
  private var lastSeq = 0

  /// - Parameters:
  ///   - job: The job whose events are read, from the first event on.
  ///   - session: A session with the engine.
  ///   - bounds: The bounds of reading.
  package init(_ job: JobID, of session: UpdateSession, bounds: Bounds = Bounds()) {
    (self.job, self.session, self.bounds) = (job, session, bounds)
  }

  /// Returns the next page; nil after the last page.
  ///
  /// Events whose number does not exceed the number of the event before are duplicates and are
  /// removed.
  ///
  /// - Throws: The errors of ``UpdateSession/recordedEvents(of:after:)``.
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

  /// Sentences for display about events that were not read so far; empty if all were read.
  package var gapMessages: [String] {
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
