import InstallJobs

/// The jobs of the queue that others pass: they are held, or their own time or job has not come.
///
/// Derived from what is known of other jobs and of the time: the engine tells nothing when the job
/// that one waits for ends, or its time comes.
struct IneligibleJobs: Sendable {
  /// Whether a job is over; nil where nothing is known of it.
  typealias Ending = (JobID) -> Bool?

  // What a job that waits has wished for itself.
  private struct Wish: Sendable, Hashable {
    var after: JobID?
    var start: JobOrder.Place?
  }

  /// Their places in the queue.
  private(set) var order = JobOrder()
  private var places: [JobID: JobOrder.Place] = [:]
  private var reasons: [JobID: Wish] = [:]
  // Those that wait for a job, by that job.
  private var followers: [JobID: Set<JobID>] = [:]
  // Those whose time is still to come, by that time.
  private var appointments = JobOrder()
  // The time by the engine's clock; nil before it was told.
  private var now: Timestamp?
  // Those that others pass since it was asked for last, or no longer.
  private var turned: Set<JobID> = []

  init() {}

  /// When the next of them begins to count by the engine's clock; nil where none does by itself.
  var nextStart: Timestamp? {
    now == nil ? nil : appointments.places.first.map { Timestamp(milliseconds: $0.rank) }
  }

  /// Those that wait for a job to end, in no order.
  func waiting(for job: JobID) -> Set<JobID> { followers[job] ?? [] }

  /// Whether anything is noted of a job.
  func knows(_ job: JobID) -> Bool { reasons[job] != nil || places[job] != nil }

  /// What a job waits for by its own wish: by what is known of the other job and of the time, else
  /// as its snapshot tells.
  func ownWait(of job: JobSnapshot, isOver: Ending) -> OwnWait? {
    guard job.state == .queued, !job.isHeld else { return nil }
    let told = job.ownWait
    if let after = job.options.after, !(isOver(after) ?? (told != .job(after))) {
      return .job(after)
    }
    guard let start = job.options.earliestStart else { return told == .time(nil) ? told : nil }
    guard let now else { return told == nil ? nil : .time(start) }
    return start > now ? .time(start) : nil
  }

  /// Whether others pass a job.
  func isPassed(_ job: JobSnapshot, isOver: Ending) -> Bool {
    job.state == .queued && (job.isHeld || ownWait(of: job, isOver: isOver) != nil)
  }

  /// Takes over what became of a job; nil where it is not known any more.
  mutating func update(_ id: JobID, _ entry: JobStore.Entry?, isOver: Ending) {
    guard let entry, entry.job.state == .queued else {
      if reasons[id] != nil { setReason(nil, of: id) }
      if let place = places.removeValue(forKey: id) { order.remove(place) }
      return
    }
    let wish = Self.reason(of: entry)
    if wish != reasons[id] { self.setReason(wish, of: id) }
    let place = isPassed(entry.job, isOver: isOver) ? JobOrder.Place.queue(entry.job) : nil
    guard place != places[id] else { return }
    turned.insert(id)
    order.move(from: places[id], to: place)
    places[id] = place
  }

  /// The jobs that others pass since this was asked for last, or no longer, in no order.
  mutating func removeEligible() -> Set<JobID> {
    guard !turned.isEmpty else { return [] }
    defer { turned = [] }
    return turned
  }

  /// Takes the time by the engine's clock, which goes back only where it was set.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - entry: The jobs.
  ///   - isOver: Whether a job is over.
  mutating func advance(
    to time: Timestamp, _ entry: (JobID) -> JobStore.Entry?, isOver: Ending
  ) {
    guard let before = now, before <= time else {
      // The first time that is told, or a clock that was set back.
      now = time
      let starts = reasons.values.compactMap(\.start)
      appointments = JobOrder(starts.filter { $0.rank > time.milliseconds })
      for id in reasons.keys { update(id, entry(id), isOver: isOver) }
      return
    }
    now = time
    for id in removeAppointments(until: time) { update(id, entry(id), isOver: isOver) }
  }

  private mutating func removeAppointments(until time: Timestamp) -> [JobID] {
    guard let first = appointments.places.first, first.rank <= time.milliseconds else { return [] }
    let end = appointments.lowerBound(
      JobOrder.Place(section: 0, rank: time.milliseconds, id: .max))
    let due = appointments.places.prefix(end)
    appointments = JobOrder(Array(appointments.places.dropFirst(end)))
    return due.map(\.job)
  }

  private static func reason(of entry: JobStore.Entry) -> Wish? {
    let (after, start) = (entry.job.options.after, entry.job.options.earliestStart)
    guard after != nil || start != nil else { return nil }
    let id = entry.job.id.rawValue
    return Wish(
      after: after,
      start: start.map { JobOrder.Place(section: 0, rank: $0.milliseconds, id: id) })
  }

  private mutating func setReason(_ new: Wish?, of id: JobID) {
    if let old = reasons[id] {
      if let after = old.after {
        followers[after]?.remove(id)
        if followers[after]?.isEmpty ?? false { followers[after] = nil }
      }
      if let start = old.start { appointments.remove(start) }
    }
    reasons[id] = new
    if let after = new?.after { followers[after, default: []].insert(id) }
    if let start = new?.start, now.map({ start.rank > $0.milliseconds }) ?? true {
      appointments.insert(start)
    }
  }
}
