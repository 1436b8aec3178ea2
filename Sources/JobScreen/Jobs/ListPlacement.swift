import InstallJobs

/// Where a job stands in the lists and sums: all that they have to know when it changes.
struct ListPlacement: Sendable, Hashable {
  /// Its part of the sums; nil when it is cleaned up.
  let share: Tally.Share?
  /// Its place in the queue; nil when it is cleaned up.
  let queue: JobOrder.Place?
  /// Its place in the history; nil when it is not over.
  let history: JobOrder.Place?
  /// Its place among the jobs that only the history has; nil when it is not over or not cleaned up.
  let past: JobOrder.Place?
  /// How it ended; nil when it is not over.
  let ending: JobMark?
  /// Its places in the lists as they are narrowed and sorted; nil where it is not in them.
  let listedQueue: JobOrder.Place?
  let listedHistory: JobOrder.Place?

  /// - Parameters:
  ///   - entry: The job.
  ///   - sort: How the lists are sorted; nil when they are narrowed and the job is not in them.
  ///   - promise: When the job should be over.
  init(_ entry: JobStore.Entry, sortedBy sort: JobSort?, promised promise: JobPromise? = nil) {
    let (isQueued, isOver) = (!entry.job.isCleanedUp, entry.job.state.isFinal)
    let queue: JobOrder.Place? = isQueued ? .queue(entry.job) : nil
    let history: JobOrder.Place? = isOver ? .history(entry.job) : nil
    share = Tally.Share(entry)
    ending = isOver ? .ended(entry.job) : nil
    (self.queue, self.history) = (queue, history)
    past = isQueued ? nil : history
    guard let sort, sort != .standard else {
      (listedQueue, listedHistory) = sort == nil ? (nil, nil) : (queue, history)
      return
    }
    listedQueue = isQueued ? sort.place(of: entry, promised: promise, isHistory: false) : nil
    listedHistory = isOver ? sort.place(of: entry, promised: promise, isHistory: true) : nil
  }
}
