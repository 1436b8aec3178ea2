import Canvas
import InstallJobs
import JobText

/// The sort order of a job list.
package struct JobSort: Sendable, Hashable {
  /// The column that a list is sorted by.
  package enum Key: String, Sendable, Hashable, CaseIterable {
    /// The list's own order: at work, waiting, ended; in the history, newest first.
    case standard
    case job
    case what
    case state
    case done
    case speed
    case time
    case ended
    case user

    /// The name for users.
    var word: String {
      switch self {
      case .standard: "the queue's own order"
      case .job: "job number"
      case .what: "packages"
      case .state: "state"
      case .done: "per cent done"
      case .speed: "speed"
      case .time: "time left or taken"
      case .ended: "end"
      case .user: "user"
      }
    }
  }

  /// The column to sort by.
  package var key: Key
  /// Whether the largest value comes first.
  package var isDescending: Bool

  /// The list's own order.
  package static let standard = JobSort(.standard)

  /// An order by its key and direction.
  package init(_ key: Key, isDescending: Bool = false) {
    self.key = key
    self.isDescending = isDescending
  }

  /// The reverse order; the list's own order has no reverse.
  var reversed: JobSort {
    key == .standard ? self : JobSort(key, isDescending: !isDescending)
  }

  /// The job's place in a list with this order; equal jobs are sorted by number.
  ///
  /// The time left is the one shown in the row: the remaining time of `promise`.
  func place(
    of entry: JobStore.Entry, promised promise: JobPromise? = nil, isHistory: Bool
  ) -> JobOrder.Place {
    let job = entry.job
    guard key != .standard else { return isHistory ? .history(job) : .queue(job) }
    var place = JobOrder.Place(section: 0, rank: 0, id: job.id.rawValue)
    switch key {
    case .standard, .job: break
    case .what: place.text = (job.updates.first?.name ?? job.operation.rawValue).lowercased()
    case .state: place.rank = Int64(entry.mark.rawValue)
    case .done: place.rank = Int64(job.shownFraction * 100_000)
    case .speed: place.rank = Int64((job.bytesPerSecond ?? 0).bounded(to: 0...1e15))
    case .time: place.rank = Self.milliseconds(job, promise)
    case .ended: place.rank = job.workOverAt?.milliseconds ?? .max
    case .user: place.text = job.requestedBy.user.lowercased()
    }
    if isDescending {
      place.rank = place.rank == .min ? .max : -place.rank
      place.isDescending = true
    }
    return place
  }

  private static func milliseconds(_ job: JobSnapshot, _ promise: JobPromise?) -> Int64 {
    let seconds = job.workedSeconds ?? promise?.remaining
    return seconds.map { Int64($0.bounded(to: 0...1e12) * 1000) } ?? .max
  }
}
