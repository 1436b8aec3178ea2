import InstallJobs

/// Queued jobs that cannot start yet: paused, scheduled for later, or waiting for another job.
///
/// Computed here from the other jobs and the time, because the engine sends no event for a job when
/// its scheduled time comes or the job before it ends.
struct IneligibleJobs: Sendable {
  /// Returns whether a job has ended; nil if the job is unknown.
  typealias Ending = (JobID) -> Bool?

  // The start conditions in a job's own options.
  private struct Condition: Sendable, Hashable {
    var after: JobID?
    var start: JobOrder.Place?
  }

  /// The places of these jobs in the queue.
  private(set) var order = JobOrder()
  private var places: [JobID: JobOrder.Place] = [:]
  private var reasons: [JobID: Condition] = [:]
  // The jobs that wait for another job, by that job's number.
  private var followers: [JobID: Set<JobID>] = [:]
  // Jobs scheduled for later, by start time.
  private var appointments = JobOrder()
  // The time by the engine's clock; nil before the first one.
  private var now: Timestamp?
  // Jobs that became eligible or ineligible since the last ``removeChanged()``.
  private var changed: Set<JobID> = []

  init() {}

  /// The time, by the engine's clock, at which the next scheduled job becomes eligible; nil for
  /// none.
  var nextStart: Timestamp? {
    now == nil ? nil : appointments.places.first.map { Timestamp(milliseconds: $0.rank) }
  }

  /// The jobs that wait for `job` to end, in no order.
  func waiting(for job: JobID) -> Set<JobID> { followers[job] ?? [] }

  /// Whether a job is ineligible or has start conditions of its own.
  func knows(_ job: JobID) -> Bool { reasons[job] != nil || places[job] != nil }

  /// The start condition that a queued job still waits for, from the other jobs and the time if
  /// they are known, else from the job's snapshot.
  ///
  /// Nil for a paused job.
  func ownWait(of job: JobSnapshot, isOver: Ending) -> StartCondition? {
    guard job.state == .queued, !job.isPaused else { return nil }
    let told = job.startCondition
    // Without the engine's time, the snapshot tells whether the start time has come.
    let time = now ?? (told == nil ? Timestamp(milliseconds: .max) : Timestamp(milliseconds: .min))
    let unmet = QueueRule.unmetCondition(
      after: job.options.after, notBefore: job.options.earliestStart, at: time
    ) { isOver($0) ?? (told != .job($0)) }
    return unmet ?? (job.options.earliestStart == nil && told == .time(nil) ? told : nil)
  }

  /// Whether a job cannot start yet, so that later jobs start before it.
  func isIneligible(_ job: JobSnapshot, isOver: Ending) -> Bool {
    job.state == .queued && (job.isPaused || ownWait(of: job, isOver: isOver) != nil)
  }

  /// Applies the new state of a job; nil for a job that is no longer known.
  mutating func update(_ id: JobID, _ entry: JobStore.Entry?, isOver: Ending) {
    guard let entry, entry.job.state == .queued else {
      if reasons[id] != nil { setReason(nil, of: id) }
      if let place = places.removeValue(forKey: id) { order.remove(place) }
      return
    }
    let wish = Self.reason(of: entry)
    if wish != reasons[id] { self.setReason(wish, of: id) }
    let place = isIneligible(entry.job, isOver: isOver) ? JobOrder.Place.queue(entry.job) : nil
    guard place != places[id] else { return }
    changed.insert(id)
    order.move(from: places[id], to: place)
    places[id] = place
  }

  /// Returns and clears the jobs that became eligible or ineligible since the last call, in no
  /// order.
  mutating func removeChanged() -> Set<JobID> {
    guard !changed.isEmpty else { return [] }
    defer { changed = [] }
    return changed
  }

  /// Applies the time by the engine's clock.
  ///
  /// It goes back only if that clock was set back.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - entry: Returns a job.
  ///   - isOver: Returns whether a job has ended.
  mutating func advance(
    to time: Timestamp, _ entry: (JobID) -> JobStore.Entry?, isOver: Ending
  ) {
    guard let before = now, before <= time else {
      // This is the first time, or the clock was set back: all start times are checked again.
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

  private static func reason(of entry: JobStore.Entry) -> Condition? {
    let (after, start) = (entry.job.options.after, entry.job.options.earliestStart)
    guard after != nil || start != nil else { return nil }
    let id = entry.job.id.rawValue
    return Condition(
      after: after,
      start: start.map { JobOrder.Place(section: 0, rank: $0.milliseconds, id: id) })
  }

  private mutating func setReason(_ new: Condition?, of id: JobID) {
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
