import InstallJobs

extension JobQueue {
  /// The jobs that have their turn before a new one, in the order of their turns: the one at work
  /// first.
  ///
  /// - Parameters:
  ///   - options: Those of the new job.
  ///   - time: The present.
  ///   - isOver: Whether a job that others wait for has ended.
  /// - Returns: Their numbers; without jobs that are held, whose own time comes later than the new
  ///   job's, and that wait for one of these.
  func ahead(
    of options: InstallationOptions, at time: Timestamp, isOver: (JobID) -> Bool
  ) -> [JobID] {
    // One that waits for its time lets everybody pass until then.
    let start = options.earliestStart.flatMap { $0 > time ? $0 : nil }
    let lowest = entries.first { $0.id == options.after }?.priority ?? options.priority
    var found = [running].compactMap(\.self)
    var isAhead = Set(found)
    var waiting: [JobID: [Entry]] = [:]
    func add(_ entry: Entry) {
      guard isAhead.insert(entry.id).inserted else { return }
      found.append(entry.id)
      // Those that waited for it stand before what is not looked at yet.
      for next in waiting.removeValue(forKey: entry.id) ?? [] { add(next) }
    }
    for entry in entries where !entry.isHeld {
      guard start != nil || entry.priority >= min(lowest, options.priority) else { break }
      if let own = entry.notBefore, own > start ?? time { continue }
      if let after = entry.after, !isAhead.contains(after), !isOver(after) {
        waiting[after, default: []].append(entry)
      } else {
        add(entry)
      }
    }
    // A job that it waits for goes before it, whenever that is.
    if let after = options.after, contains(after), isAhead.insert(after).inserted {
      found.append(after)
    }
    return found
  }
}
