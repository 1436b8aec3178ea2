internal import InstallJobs

/// The events that one subscription still has to send.
///
/// Its size is bounded, even if the reader stops reading. A pure value. Durable events are never
/// lost: when more than a bounded amount waits, the queue is dropped, and once the reader reads
/// again, the events are read from the journal by number until the reader has caught up. Progress
/// is merged to one tick per job. Log text beyond ``logLimit`` is left out; the offsets of the next
/// pieces show the gap.
struct EventBacklog: Sendable {
  /// The next action of the caller.
  enum Step: Sendable, Hashable {
    case send(JobEvent)
    /// Read events after this number from the journal, then call ``appendFetched(_:)``.
    case fetch(after: Int)
    /// Nothing to send now.
    case idle
  }

  /// Largest total weight of waiting events.
  ///
  /// An event weighs 1, and 1 more for each update it carries.
  static let weightLimit = 4096
  /// Largest number of bytes of log text that may wait.
  static let logLimit = 256 << 10

  private let jobs: Set<JobID>?
  /// Whether notices about the queue are sent too, beside the events of `jobs`.
  private let wantsQueue: Bool
  /// The newest queue notice that is not in the journal and arrived while the reader was behind.
  private var pendingNotice: JobEvent?
  private let weightLimit: Int
  private var queue: [JobEvent] = []
  private var head = 0
  private var weight = 0
  private var logBytes = 0
  /// Approximate bytes of memory that the waiting events use.
  private(set) var bytes = 0
  private var isLive: Bool
  /// All events up to this number were sent or are filtered out for this reader.
  private var sent: Int
  /// All events up to this number were sent, are in the queue, or are filtered out.
  private var queued: Int
  /// The number of the newest durable event that the engine has published.
  private var newest: Int

  /// An empty backlog.
  ///
  /// - Parameters:
  ///   - seq: The last event that the reader already has.
  ///   - newest: The last event of the journal. Events between `seq` and this one are read from the
  ///     journal first.
  ///   - jobs: The jobs whose events are sent; nil for all jobs.
  ///   - wantsQueue: Whether notices about the queue are sent too.
  ///   - weightLimit: Largest total weight of waiting events.
  init(
    after seq: Int, newest: Int, jobs: Set<JobID>?, wantsQueue: Bool = false,
    weightLimit: Int = Self.weightLimit
  ) {
    self.jobs = jobs
    self.wantsQueue = wantsQueue
    self.weightLimit = weightLimit
    sent = seq
    queued = seq
    self.newest = max(seq, newest)
    isLive = newest <= seq
  }

  /// Number of events that wait in memory.
  var count: Int { queue.count - head }

  /// Adds an event of the engine.
  ///
  /// Never blocks, and never exceeds the limits.
  mutating func push(_ event: JobEvent) {
    switch event.payload {
    case .progress:
      guard isLive, isWanted(event), event.seq >= sent else { return }
      append(merged(event))
    case .log(_, let text):
      guard isLive, isWanted(event), logBytes + text.utf8.count <= Self.logLimit else { return }
      logBytes += text.utf8.count
      append(event)
    case .engine where !event.payload.isDurable:
      guard isWanted(event) else { return }
      // Only the last notice is current.
      if isLive { append(event) } else { pendingNotice = event }
    default:
      newest = max(newest, event.seq)
      // This event replaces an earlier notice that was not stored.
      defer { if let late = pendingNotice, event.replaces(late) { pendingNotice = nil } }
      guard isLive, event.seq > queued else { return }
      // A gap in the numbers means that the stream dropped events; the journal has them.
      guard event.seq == queued + 1 else { return fallBehind() }
      queued = event.seq
      if isWanted(event) { append(event) } else if count == 0 { sent = queued }
    }
    if weight > weightLimit { fallBehind() }
  }

  /// Removes and returns the next step.
  mutating func next() -> Step {
    guard head < queue.count else { return isLive ? .idle : .fetch(after: sent) }
    let event = queue[head]
    head += 1
    weight -= Self.weight(of: event)
    bytes -= Self.bytes(of: event)
    if case .log(_, let text) = event.payload { logBytes -= text.utf8.count }
    if event.payload.isDurable { sent = event.seq }
    if head == queue.count {
      queue = []
      head = 0
      sent = queued
    } else if head >= 256 {
      queue.removeFirst(head)
      head = 0
    }
    return .send(event)
  }

  /// Removes and returns the next event if it is progress of a job; nil otherwise.
  mutating func nextTick() -> JobEvent? {
    guard head < queue.count, queue[head].isProgress, case .send(let tick) = next() else {
      return nil
    }
    return tick
  }

  /// Adds the events that the journal holds after the number that ``next()`` returned.
  ///
  /// - Returns: False when the journal lacks an event that the engine has published. The
  ///   subscription cannot continue then.
  mutating func appendFetched(_ events: [JobEvent]) -> Bool {
    guard !isLive else { return true }
    for event in events where event.seq > queued {
      guard event.seq == queued + 1 else { return false }
      queued = event.seq
      if isWanted(event) { append(event) }
    }
    if count == 0 { sent = queued }
    isLive = queued >= newest
    if isLive, let late = pendingNotice {
      append(late)
      pendingNotice = nil
    }
    return isLive || !events.isEmpty
  }

  /// Drops all waiting events.
  ///
  /// ``next()`` then asks for them from the journal.
  mutating func fallBehind() {
    if let last = queue[head...].last(where: \.isOfQueue) {
      // A stored notice is read from the journal, and replaces all earlier ones.
      pendingNotice = last.payload.isDurable ? nil : last
    }
    queue = []
    head = 0
    weight = 0
    bytes = 0
    logBytes = 0
    queued = sent
    isLive = false
  }

  private mutating func append(_ event: JobEvent) {
    queue.append(event)
    weight += Self.weight(of: event)
    bytes += Self.bytes(of: event)
  }

  private func isWanted(_ event: JobEvent) -> Bool {
    guard let jobs else { return true }
    if wantsQueue, case .engine(let notice) = event.payload { return notice.isOfQueue }
    return event.job.map(jobs.contains) ?? false
  }

  /// Merges a tick with the unsent tick of the same job, and removes the unsent one from the queue.
  ///
  /// The caller appends the result, so progress never overtakes a durable event. A tick names only
  /// the packages that moved since the previous tick, so the packages of the older tick are kept.
  private mutating func merged(_ event: JobEvent) -> JobEvent {
    guard case .progress(var tick) = event.payload,
      let index = queue.indices.last(where: { $0 >= head && queue[$0].isProgress(of: event.job) }),
      case .progress(let older) = queue[index].payload
    else { return event }
    weight -= Self.weight(of: queue[index])
    bytes -= Self.bytes(of: queue[index])
    queue.remove(at: index)
    let moved = Set(tick.steps.map(\.index))
    tick.steps = older.steps.filter { !moved.contains($0.index) } + tick.steps
    return JobEvent(seq: event.seq, at: event.at, job: event.job, payload: .progress(tick))
  }

  private static func bytes(of event: JobEvent) -> Int {
    let size = MemoryLayout<JobEvent>.stride
    if case .log(_, let text) = event.payload { return size + text.utf8.count }
    return size + (weight(of: event) - 1) * MemoryLayout<UpdateStatus>.stride
  }

  private static func weight(of event: JobEvent) -> Int {
    switch event.payload {
    case .submitted(let snapshot): 1 + snapshot.updates.count
    case .completed(let outcome): 1 + outcome.updates.count
    default: 1
    }
  }
}

extension JobEvent {
  /// Whether the event is progress of a job.
  var isProgress: Bool {
    if case .progress = payload { job != nil } else { false }
  }

  /// Whether the event is a notice about the queue.
  fileprivate var isOfQueue: Bool {
    if case .engine(let notice) = payload { notice.isOfQueue } else { false }
  }

  /// Whether this event replaces `notice`, an earlier queue notice that was not stored.
  ///
  /// A notice that is not stored carries the number of the durable event before it.
  fileprivate func replaces(_ notice: JobEvent) -> Bool { isOfQueue && seq > notice.seq }

  fileprivate func isProgress(of job: JobID?) -> Bool { isProgress && self.job == job }
}
