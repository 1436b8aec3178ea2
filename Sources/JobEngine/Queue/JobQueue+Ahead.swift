import InstallJobs

extension JobQueue {
  /// The jobs that run before a new job, in the order in which they run; the working job comes
  /// first.
  ///
  /// - Parameters:
  ///   - options: The options of the new job.
  ///   - time: The present time.
  ///   - isOver: Whether a given job has ended.
  /// - Returns: The ids of the jobs, without paused jobs, jobs that start later than the new job,
  ///   and jobs that wait for one of these.
  func ahead(
    of options: InstallationOptions, at time: Timestamp, isOver: (JobID) -> Bool
  ) -> [JobID] {
    // A new job with a future start time lets all other jobs pass until then.
    let start = options.earliestStart.flatMap { $0 > time ? $0 : nil }
    let lowest = entries.first { $0.id == options.after }?.priority ?? options.priority
    var found = [running].compactMap(\.self)
    var isAhead = Set(found)
    var waiting: [JobID: [Entry]] = [:]
    func add(_ entry: Entry) {
      guard isAhead.insert(entry.id).inserted else { return }
      found.append(entry.id)
      // Jobs that waited for `entry` come before the entries that are not examined yet.
      for next in waiting.removeValue(forKey: entry.id) ?? [] { add(next) }
    }
    for entry in entries where !entry.isPaused {
      guard start != nil || entry.priority >= min(lowest, options.priority) else { break }
      if let own = entry.notBefore, own > start ?? time { continue }
      if let after = entry.after, !isAhead.contains(after), !isOver(after) {
        waiting[after, default: []].append(entry)
      } else {
        add(entry)
      }
    }
    // The job that the new job waits for always runs before it.
    if let after = options.after, contains(after), isAhead.insert(after).inserted {
      found.append(after)
    }
    return found
  }
}
