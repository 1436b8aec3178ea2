import InstallJobs

// Snapshots of the jobs that are not over, and their publication.
extension Engine {
  /// The job's snapshot with its queue position and wait reason; nil for a job that is over.
  func snapshot(of id: JobID) -> JobSnapshot? {
    guard var snapshot = live[id]?.machine.snapshot else { return nil }
    if snapshot.state == .queued {
      snapshot.queuePosition = queue.position(of: id, at: settings.now(), isOver: isOver)
      // The snapshot of a paused job has its own wait reason.
      snapshot.waitingFor =
        snapshot.waitingFor ?? queue.reason(for: id, at: settings.now(), isOver: isOver)
      snapshot.apply(times(of: id, at: settings.now()))
    }
    return snapshot
  }

  /// Snapshots of the jobs that are not over, oldest first, without plans, with their queue
  /// positions.
  ///
  /// Only the jobs in `states` are copied, because any user with read access may call this often.
  ///
  /// - Parameters:
  ///   - states: The states to include; nil for all.
  ///   - limit: Maximum number of jobs; the newest ones are returned.
  ///   - isForeseen: Whether to include the expected start and end times.
  /// - Returns: The snapshots.
  func liveSnapshots(
    in states: Set<JobState>? = nil, newest limit: Int = .max, isForeseen: Bool
  ) -> [JobSnapshot] {
    guard limit > 0 else { return [] }
    var snapshots = liveJobs(in: states).suffix(limit).compactMap { id in
      live[id]?.withSnapshot { $0.withoutPlan }
    }
    guard snapshots.contains(where: { $0.state == .queued }) else { return snapshots }
    let time = settings.now()
    let times = isForeseen ? times(at: time) : [:]
    var entries: [JobID: JobQueue.Entry] = [:]
    for entry in queue.entries { entries[entry.id] = entry }
    let positions = queue.positions(at: time, isOver: isOver)
    let first = queue.first(at: time, isOver: isOver)
    for index in snapshots.indices where snapshots[index].state == .queued {
      guard let entry = entries[snapshots[index].id] else { continue }
      snapshots[index].queuePosition = positions[entry.id]
      if snapshots[index].waitingFor == nil {
        snapshots[index].waitingFor = queue.reason(
          for: entry, behind: first, at: time, isOver: isOver)
      }
      snapshots[index].apply(times[entry.id])
    }
    return snapshots
  }

  private func liveJobs(in states: Set<JobState>?) -> [JobID] {
    guard let states else { return live.keys.sorted() }
    var found: [JobID] = []
    var index = live.startIndex
    while index < live.endIndex {
      let (id, state) = live.values[index].withSnapshot { ($0.id, $0.state) }
      if states.contains(state) { found.append(id) }
      live.formIndex(after: &index)
    }
    return found.sorted()
  }

  /// Sends the job's present snapshot to its observers.
  func publishSnapshot(_ id: JobID) {
    guard let sources = observers[id], let snapshot = snapshot(of: id) else { return }
    for source in sources.values { source.yield(snapshot) }
  }

  /// Sends events to all subscribers.
  ///
  /// A slow subscriber loses the oldest events and detects the gap in their numbers.
  func publish(_ events: [JobEvent]) {
    guard !events.isEmpty else { return }
    for continuation in subscribers.values { continuation.yield(events) }
  }
}
