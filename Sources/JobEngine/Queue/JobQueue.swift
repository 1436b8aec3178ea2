import InstallJobs

/// The order in which jobs get their turn: higher priority first, then the lower number.
///
/// One job works at a time on one package root; one that is held in its work keeps its place at the
/// front. One that is held while it waits keeps its place, too, and others pass it.
struct JobQueue: Sendable {
  /// A job that waits for its turn.
  struct Entry: Sendable, Hashable {
    var id: JobID
    var priority: Int
    /// The job that must have ended before.
    var after: JobID?
    var notBefore: Timestamp?
    /// Whether it is passed over until somebody lets it go on.
    var isHeld = false
    /// What its work is expected to take.
    var load = QueueLoad()
  }

  private(set) var entries: [Entry] = []
  /// The job that has its turn.
  private(set) var running: JobID?
  private var pauses: [QueuePause.Cause: QueuePause] = [:]

  /// Why no job begins; nil where the next one may.
  var pause: QueuePause? { QueuePause.Cause.allCases.lazy.compactMap { pauses[$0] }.first }

  /// That the journal takes nothing, where that was met.
  var journalPause: QueuePause? { pauses[.journal] }

  /// What somebody asked for, whatever else keeps jobs from beginning.
  var requestedPause: QueuePause? { pauses[.request] }

  /// Lets no job begin for one more cause.
  mutating func pause(_ pause: QueuePause) { pauses[pause.cause] = pause }

  /// Takes one cause away; the others stay.
  @discardableResult
  mutating func resume(_ cause: QueuePause.Cause) -> QueuePause? {
    pauses.removeValue(forKey: cause)
  }

  /// Puts a job in its place.
  mutating func insert(_ entry: Entry) {
    var (low, high) = (entries.startIndex, entries.endIndex)
    while low < high {
      let middle = (low + high) / 2
      let other = entries[middle]
      if (other.priority, entry.id) < (entry.priority, other.id) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    entries.insert(entry, at: low)
  }

  /// Marks a job as the one that has its turn.
  mutating func occupy(_ id: JobID) {
    if let place = entries.firstIndex(where: { $0.id == id }) { entries.remove(at: place) }
    running = id
  }

  /// Puts a job whose turn could not begin back into its place.
  mutating func giveBack(_ entry: Entry) {
    remove(entry.id)
    insert(entry)
  }

  /// Has others pass a waiting job, or no longer.
  mutating func hold(_ id: JobID, _ isHeld: Bool) {
    guard let place = entries.firstIndex(where: { $0.id == id }) else { return }
    entries[place].isHeld = isHeld
  }

  /// Takes what a waiting job is expected to take now that archives of it are there.
  mutating func expect(_ load: QueueLoad, of id: JobID) {
    guard let place = entries.firstIndex(where: { $0.id == id }) else { return }
    entries[place].load = load
  }

  /// Takes a job out, whether it waits or works.
  mutating func remove(_ id: JobID) {
    if let place = entries.firstIndex(where: { $0.id == id }) { entries.remove(at: place) }
    if running == id { running = nil }
  }

  /// Whether no job that waits will begin by itself: each is held, or waits for the end of one that
  /// is.
  var isDormant: Bool {
    let byID = Dictionary(entries.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    return entries.allSatisfy { entry in
      var current = entry
      // No chain is longer than the queue, save one that bites its tail: that never begins either.
      for _ in entries where !current.isHeld {
        guard let next = current.after.flatMap({ byID[$0] }) else { return false }
        current = next
      }
      return true
    }
  }

  /// Whether a job waits for its turn.
  func contains(_ id: JobID) -> Bool { entries.contains { $0.id == id } }

  /// The place of a job among those that could begin, from 1: one that is held, or whose own time or
  /// job has not come, has none and is not counted.
  func position(of id: JobID, at time: Timestamp, isOver: (JobID) -> Bool) -> Int? {
    var place = 0
    for entry in entries where canBegin(entry, at: time, isOver: isOver) {
      place += 1
      if entry.id == id { return place }
    }
    return nil
  }

  /// The same of every job that has a place.
  func positions(at time: Timestamp, isOver: (JobID) -> Bool) -> [JobID: Int] {
    var places: [JobID: Int] = [:]
    for entry in entries where canBegin(entry, at: time, isOver: isOver) {
      places[entry.id] = places.count + 1
    }
    return places
  }

  /// Whether only its turn keeps a job from beginning.
  func canBegin(_ entry: Entry, at time: Timestamp, isOver: (JobID) -> Bool) -> Bool {
    !entry.isHeld && wait(of: entry, at: time, isOver: isOver) == nil
  }

  /// The job whose turn it is now, if any.
  ///
  /// - Parameters:
  ///   - time: The present.
  ///   - isOver: Whether a job that others wait for has ended.
  /// - Returns: The entry of the job; nil when none may start.
  func next(at time: Timestamp, isOver: (JobID) -> Bool) -> Entry? {
    guard running == nil, pauses.isEmpty else { return nil }
    return entries.first { canBegin($0, at: time, isOver: isOver) }
  }

  /// The first jobs of those that could begin, in their order.
  func upcoming(_ most: Int, at time: Timestamp, isOver: (JobID) -> Bool) -> [JobID] {
    var found: [JobID] = []
    for entry in entries where canBegin(entry, at: time, isOver: isOver) {
      guard found.count < most else { break }
      found.append(entry.id)
    }
    return found
  }

  /// The earliest time at which a waiting job's own time comes, after `time`.
  func nextTime(after time: Timestamp) -> Timestamp? {
    entries.lazy.compactMap(\.notBefore).filter { $0 > time }.min()
  }

  /// Why a job does not start by itself; nil when only its place in the queue keeps it.
  private func wait(of entry: Entry, at time: Timestamp, isOver: (JobID) -> Bool) -> WaitReason? {
    if let after = entry.after, !isOver(after) {
      return WaitReason(.job, "waits for job \(after) to end", job: after)
    }
    if let start = entry.notBefore, start > time {
      return WaitReason(.time, "does not start before \(start)")
    }
    return nil
  }

  /// Why the job waits, in words for people (feature 19 of the peers' table).
  func reason(for id: JobID, at time: Timestamp, isOver: (JobID) -> Bool) -> WaitReason? {
    entries.first { $0.id == id }.flatMap { entry in
      reason(
        for: entry, behind: first(at: time, isOver: isOver), at: time, isOver: isOver)
    }
  }

  /// The same for an entry in hand, with the job that goes before all others: looked for once, it
  /// serves every entry.
  func reason(
    for entry: Entry, behind first: JobID?, at time: Timestamp, isOver: (JobID) -> Bool
  ) -> WaitReason? {
    if let own = wait(of: entry, at: time, isOver: isOver) { return own }
    if let pause { return WaitReason(pause) }
    guard let first, first != entry.id else { return nil }
    return WaitReason(.job, "job \(first) goes first", job: first)
  }

  /// The job that goes before all others: the one that has its turn, else the first that could begin.
  func first(at time: Timestamp, isOver: (JobID) -> Bool) -> JobID? {
    running ?? entries.first { canBegin($0, at: time, isOver: isOver) }?.id
  }
}
