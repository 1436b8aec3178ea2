import InstallJobs

/// Where a job stands in the lists and sums: all that they have to know when it changes.
struct Standing: Sendable, Hashable {
  /// Its part of the sums; nil when it is cleaned up.
  let share: Tally.Share?
  /// Its place in the queue; nil when it is cleaned up.
  let queue: JobOrder.Place?
  /// Its place in the history; nil when it is not over.
  let history: JobOrder.Place?
  /// Its places in the narrowed and sorted lists; nil where it does not belong there.
  let arrangedQueue: JobOrder.Place?
  let arrangedHistory: JobOrder.Place?

  /// - Parameters:
  ///   - entry: The job.
  ///   - sort: How the narrowed lists are sorted; nil when the job is not in them.
  init(_ entry: JobBook.Entry, arrangedBy sort: JobSort?) {
    let (isQueued, isOver) = (!entry.job.isCleanedUp, entry.job.state.isFinal)
    share = Tally.Share(entry)
    queue = isQueued ? .queue(entry.job) : nil
    history = isOver ? .history(entry.job) : nil
    arrangedQueue = isQueued ? sort?.place(of: entry, isHistory: false) : nil
    arrangedHistory = isOver ? sort?.place(of: entry, isHistory: true) : nil
  }
}
