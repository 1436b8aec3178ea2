internal import InstallJobs

/// What one subscription still has to send: bounded, whatever its reader does.
///
/// A pure value. Durable events are never lost: when the reader falls behind by more than a bounded
/// amount, the queue is dropped, and once the reader takes again, the events are read from the
/// journal by number until it has caught up. Progress is merged to one tick a job; logs beyond a
/// bound are left out, which their offsets show.
struct EventBacklog: Sendable {
  /// What to do next.
  enum Step: Sendable, Hashable {
    case send(JobEvent)
    /// Read events after this number from the journal, then call ``fetched(_:)``.
    case fetch(after: Int)
    /// Nothing to send now.
    case idle
  }

  /// How much may wait: a durable event weighs 1 and one more for each update it carries.
  static let weightLimit = 4096
  /// Bytes of log text that may wait.
  static let logLimit = 256 << 10

  private let jobs: Set<JobID>?
  /// Whether notices of the queue are wanted beside the events of `jobs`.
  private let wantsQueue: Bool
  /// What the engine told last of its queue without storing it, while the reader was behind.
  private var lateNotice: JobEvent?
  private let weightLimit: Int
  private var queue: [JobEvent] = []
  private var head = 0
  private var weight = 0
  private var logBytes = 0
  /// About how many bytes of memory wait.
  private(set) var bytes = 0
  private var isLive: Bool
  /// Everything up to here was sent or is of no interest to this reader.
  private var sent: Int
  /// Everything up to here was sent or is in the queue.
  private var queued: Int
  /// The newest durable event that the engine has told of.
  private var newest: Int

  /// An empty backlog.
  ///
  /// - Parameters:
  ///   - seq: What the reader has already.
  ///   - newest: The end of the journal; the part in between is read from it first.
  ///   - jobs: Only events of these jobs; nil means everything.
  ///   - wantsQueue: Whether also what the engine tells of its queue.
  ///   - weightLimit: How much may wait.
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

  /// How many events wait in memory.
  var count: Int { queue.count - head }

  /// Takes an event of the engine; never waits, never grows beyond the bounds.
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
      // Only the last one says how the queue stands.
      if isLive { append(event) } else { lateNotice = event }
    default:
      newest = max(newest, event.seq)
      // What was told and not stored before it does not hold any more.
      defer { if let late = lateNotice, event.outdates(late) { lateNotice = nil } }
      guard isLive, event.seq > queued else { return }
      // A hole means that the stream lost something: the journal has it.
      guard event.seq == queued + 1 else { return fallBehind() }
      queued = event.seq
      if isWanted(event) { append(event) } else if count == 0 { sent = queued }
    }
    if weight > weightLimit { fallBehind() }
  }

  /// Takes the next step off the backlog.
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

  /// Takes the next event off the backlog if it is progress.
  mutating func nextTick() -> JobEvent? {
    guard head < queue.count, queue[head].isProgress, case .send(let tick) = next() else {
      return nil
    }
    return tick
  }

  /// Takes what the journal had after the number that ``next()`` gave.
  ///
  /// - Returns: False when the journal lacks an event that the engine told of; the reader must be
  ///   told that it cannot be served.
  mutating func fetched(_ events: [JobEvent]) -> Bool {
    guard !isLive else { return true }
    for event in events where event.seq > queued {
      guard event.seq == queued + 1 else { return false }
      queued = event.seq
      if isWanted(event) { append(event) }
    }
    if count == 0 { sent = queued }
    isLive = queued >= newest
    if isLive, let late = lateNotice {
      append(late)
      lateNotice = nil
    }
    return isLive || !events.isEmpty
  }

  /// Drops what waits: it is read from the journal once the reader takes again.
  mutating func fallBehind() {
    if let last = queue[head...].last(where: \.isOfQueue) {
      // One that is stored is read from the journal, and what came before it does not hold.
      lateNotice = last.payload.isDurable ? nil : last
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

  /// The tick together with the unsent one of the same job, which it replaces.
  ///
  /// Moved to the end of the queue, so that it never overtakes a durable event. A tick names only
  /// the packages that moved since the one before, so the older one's packages are kept.
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
    case .progress: 1
    default: 1
    }
  }
}

extension JobEvent {
  /// Whether it is progress of a job.
  var isProgress: Bool {
    if case .progress = payload { job != nil } else { false }
  }

  /// Whether it tells of the queue.
  fileprivate var isOfQueue: Bool {
    if case .engine(let notice) = payload { notice.isOfQueue } else { false }
  }

  /// Whether it says later than `notice`, which was told after the event of its number, how the
  /// queue stands.
  fileprivate func outdates(_ notice: JobEvent) -> Bool { isOfQueue && seq > notice.seq }

  fileprivate func isProgress(of job: JobID?) -> Bool { isProgress && self.job == job }
}
