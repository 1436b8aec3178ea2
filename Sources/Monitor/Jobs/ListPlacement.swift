import InstallJobs
import JobText

/// A job's places in all lists and its share of the sums.
struct ListPlacement: Sendable, Hashable {
  /// The job's share of the sums; nil if it is cleaned up.
  let share: Tally.Share?
  /// The place in the queue; nil if the job is cleaned up.
  let queue: JobOrder.Place?
  /// The place in the history; nil if the job has not ended.
  let history: JobOrder.Place?
  /// The place among the jobs that only the history contains; nil if the job has not ended or is
  /// not cleaned up.
  let past: JobOrder.Place?
  /// The result; nil if the job has not ended.
  let ending: JobMark?
  /// The places in the filtered and sorted lists; nil if the list does not contain the job.
  let listedQueue: JobOrder.Place?
  let listedHistory: JobOrder.Place?

  /// - Parameters:
  ///   - entry: The job.
  ///   - sort: The order of the lists; nil if the filter hides the job.
  ///   - promise: The promised end of the job.
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
