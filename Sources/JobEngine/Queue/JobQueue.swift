import InstallJobs

/// The order in which jobs run: higher priority first, then lower id.
///
/// One job at a time works on a package root. A job that is paused during its work keeps its place
/// at the front. A job that is paused while it waits keeps its place, and other jobs pass it.
struct JobQueue: Sendable {
  /// A waiting job.
  struct Entry: Sendable, Hashable {
    var id: JobID
    var priority: Int
    /// The job that must end first.
    var after: JobID?
    var notBefore: Timestamp?
    /// Whether the job is paused: other jobs pass it until it is resumed.
    var isPaused = false
    /// Expected cost of the job's work.
    var load = QueueLoad()

    fileprivate var rank: Int64 { QueueRule.rank(of: priority) }
  }

  private(set) var entries: [Entry] = []
  /// The job that is at work, or paused during its work.
  private(set) var running: JobID?
  private var pauses: [QueuePause.Cause: QueuePause] = [:]

  /// Why no job starts; nil when the next one may start.
  ///
  /// The causes are ordered as in `QueuePause.Cause`.
  var pause: QueuePause? { QueuePause.Cause.allCases.lazy.compactMap { pauses[$0] }.first }

  /// The pause because the journal is not writable; nil when there is none.
  var journalPause: QueuePause? { pauses[.journal] }

  /// The pause that a user requested, whether or not there are other causes.
  var requestedPause: QueuePause? { pauses[.request] }

  /// Adds a pause.
  ///
  /// Pauses with other causes remain.
  mutating func pause(_ pause: QueuePause) { pauses[pause.cause] = pause }

  /// Removes and returns the pause with the given cause.
  ///
  /// Pauses with other causes remain.
  @discardableResult
  mutating func resume(_ cause: QueuePause.Cause) -> QueuePause? {
    pauses.removeValue(forKey: cause)
  }

  /// Inserts a job at its place.
  mutating func insert(_ entry: Entry) {
    var (low, high) = (entries.startIndex, entries.endIndex)
    while low < high {
      let middle = (low + high) / 2
      let other = entries[middle]
      if (entry.rank, entry.id) < (other.rank, other.id) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    entries.insert(entry, at: low)
  }

  /// Makes a job the running one and removes it from the waiting jobs.
  mutating func setRunning(_ id: JobID) {
    if let place = entries.firstIndex(where: { $0.id == id }) { entries.remove(at: place) }
    running = id
  }

  /// Returns a job that could not be started to its place.
  mutating func reinsert(_ entry: Entry) {
    remove(entry.id)
    insert(entry)
  }

  /// Marks a waiting job as paused or not paused.
  mutating func setPaused(_ id: JobID, _ isPaused: Bool) {
    guard let place = entries.firstIndex(where: { $0.id == id }) else { return }
    entries[place].isPaused = isPaused
  }

  /// Sets the expected cost of a waiting job after archives of it were fetched.
  mutating func setLoad(_ load: QueueLoad, of id: JobID) {
    guard let place = entries.firstIndex(where: { $0.id == id }) else { return }
    entries[place].load = load
  }

  /// Removes a job, whether it waits or is at work.
  mutating func remove(_ id: JobID) {
    if let place = entries.firstIndex(where: { $0.id == id }) { entries.remove(at: place) }
    if running == id { running = nil }
  }

  /// Whether no waiting job will start by itself: every waiting job is paused or waits for the end
  /// of a paused one.
  var isDormant: Bool {
    let byID = Dictionary(entries.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    return entries.allSatisfy { entry in
      var current = entry
      // No chain is longer than the queue, except a cycle, whose jobs never start either.
      for _ in entries where !current.isPaused {
        guard let next = current.after.flatMap({ byID[$0] }) else { return false }
        current = next
      }
      return true
    }
  }

  /// Whether a job is waiting.
  func contains(_ id: JobID) -> Bool { entries.contains { $0.id == id } }

  /// The position of a job among the jobs that may start, from 1; nil for a job that is paused,
  /// scheduled for later, or waiting for another job.
  ///
  /// Such jobs are not counted.
  func position(of id: JobID, at time: Timestamp, isOver: (JobID) -> Bool) -> Int? {
    var place = 0
    for entry in entries where canBegin(entry, at: time, isOver: isOver) {
      place += 1
      if entry.id == id { return place }
    }
    return nil
  }

  /// The positions of all jobs that have one.
  func positions(at time: Timestamp, isOver: (JobID) -> Bool) -> [JobID: Int] {
    var places: [JobID: Int] = [:]
    for entry in entries where canBegin(entry, at: time, isOver: isOver) {
      places[entry.id] = places.count + 1
    }
    return places
  }

  /// Whether a job may start as soon as the jobs ahead of it have run.
  func canBegin(_ entry: Entry, at time: Timestamp, isOver: (JobID) -> Bool) -> Bool {
    !entry.isPaused && condition(of: entry, at: time, isOver: isOver) == nil
  }

  /// The job that starts now, if any.
  ///
  /// - Parameters:
  ///   - time: The present time.
  ///   - isOver: Whether a given job has ended.
  /// - Returns: The entry of the job; nil when none may start.
  func next(at time: Timestamp, isOver: (JobID) -> Bool) -> Entry? {
    guard running == nil, pauses.isEmpty else { return nil }
    return entries.first { canBegin($0, at: time, isOver: isOver) }
  }

  /// The first `most` jobs that may start, in queue order.
  func upcoming(_ most: Int, at time: Timestamp, isOver: (JobID) -> Bool) -> [JobID] {
    var found: [JobID] = []
    for entry in entries where canBegin(entry, at: time, isOver: isOver) {
      guard found.count < most else { break }
      found.append(entry.id)
    }
    return found
  }

  /// The earliest start time of a waiting job after `time`.
  func nextTime(after time: Timestamp) -> Timestamp? {
    entries.lazy.compactMap(\.notBefore).filter { $0 > time }.min()
  }

  private func condition(
    of entry: Entry, at time: Timestamp, isOver: (JobID) -> Bool
  ) -> StartCondition? {
    QueueRule.unmetCondition(
      after: entry.after, notBefore: entry.notBefore, at: time, isOver: isOver)
  }

  /// Why the job waits, as text for people (feature 19 of the peers' table).
  func reason(for id: JobID, at time: Timestamp, isOver: (JobID) -> Bool) -> WaitReason? {
    entries.first { $0.id == id }.flatMap { entry in
      reason(
        for: entry, behind: first(at: time, isOver: isOver), at: time, isOver: isOver)
    }
  }

  /// Why the job of an entry waits.
  ///
  /// The caller passes the first job, so that many entries need only one search for it.
  func reason(
    for entry: Entry, behind first: JobID?, at time: Timestamp, isOver: (JobID) -> Bool
  ) -> WaitReason? {
    switch condition(of: entry, at: time, isOver: isOver) {
    case .job(let after): return WaitReason(.job, "waits for job \(after) to end", job: after)
    case .time(let start?): return WaitReason(.time, "does not start before \(start)")
    case .time(nil), nil: break
    }
    if let pause { return WaitReason(pause) }
    guard let first, first != entry.id else { return nil }
    return WaitReason(.job, "job \(first) goes first", job: first)
  }

  /// The job ahead of all others: the running job, else the first job that may start.
  func first(at time: Timestamp, isOver: (JobID) -> Bool) -> JobID? {
    running ?? entries.first { canBegin($0, at: time, isOver: isOver) }?.id
  }
}
