package import InstallJobs

/// Something that is asked of the engine for one job or for the queue, and answered.
///
/// An abort is none of these: its answer says more than that it was done.
package enum Order: Sendable, Hashable {
  case hold(JobID)
  case release(JobID)
  case move(JobID, QueueMove)
  case withdraw(JobID)
  case retry(JobID)
  case cleanUp(JobID)
  case pauseQueue
  case resumeQueue
  case yield

  /// The orders that an intent stands for; empty for what is none.
  static func all(_ intent: Intent) -> [Order] {
    switch intent {
    case .hold(let id): [.hold(id)]
    case .release(let id): [.release(id)]
    case .move(let id, let place): [.move(id, place)]
    case .withdrawAbort(let id): [.withdraw(id)]
    case .retry(let id): [.retry(id)]
    case .cleanUp(let ids): ids.map { .cleanUp($0) }
    case .pauseQueue: [.pauseQueue]
    case .resumeQueue: [.resumeQueue]
    case .askToYield: [.yield]
    default: []
    }
  }

  /// The job that it is for; nil for the queue as a whole.
  package var job: JobID? {
    switch self {
    case .hold(let id), .release(let id), .move(let id, _), .withdraw(let id), .retry(let id),
      .cleanUp(let id):
      id
    case .pauseQueue, .resumeQueue, .yield: nil
    }
  }

  /// The word for what is asked: that of the command line.
  var word: String {
    switch self {
    case .hold: "hold"
    case .release: "release"
    case .move: "move"
    case .withdraw: "withdraw"
    case .retry: "retry"
    case .cleanUp: "cleanup"
    case .pauseQueue: "pause"
    case .resumeQueue: "resume"
    case .yield: "yield"
    }
  }

  /// What did not work, where it did not: `hold of job 4`.
  package var name: String {
    switch self {
    case .withdraw(let id): "withdrawal of the abort of job \(id)"
    case .yield: "the request to yield"
    case _ where job != nil: "\(word) of job \(job.map { "\($0)" } ?? "")"
    default: "\(word) of the queue"
    }
  }

  /// That it was asked for, which is not that it was done: `hold: asked for job 3, 4`.
  static func asked(_ orders: [Order]) -> String {
    guard let first = orders.first else { return "" }
    let jobs = orders.compactMap(\.job).map { "\($0)" }
    let what =
      first == .yield
      ? "the package lock" : jobs.isEmpty ? "the queue" : "job \(JobEnding.list(jobs))"
    guard case .move(_, let place) = first else { return "\(first.word): asked for \(what)" }
    return "\(first.word): asked for \(what), \(QueueWords.place(place))"
  }
}

/// Orders of one key that the engine has not answered, and since when.
///
/// A key is answered by the engine and by nobody else: until then it is said that something was
/// asked for, and after a while that no answer has come.
struct OpenOrders: Sendable {
  /// Seconds after which it is said that there is no answer.
  static let patience = 2.0

  /// What one key has asked for.
  struct Group: Sendable, Hashable {
    let orders: [Order]
    fileprivate(set) var open: Set<Order>
    /// When, by the time here; nil before it was told.
    let since: Timestamp?
    /// Why some of them failed.
    fileprivate(set) var failures: [String] = []
    /// It was said that no answer has come.
    var isSilenceTold = false
  }

  private(set) var groups: [Group] = []

  init() {}

  func contains(_ order: Order) -> Bool { groups.contains { $0.open.contains(order) } }

  /// The order of a kind that is open for a job or the queue.
  func first(where matches: (Order) -> Bool) -> Order? {
    for group in groups { if let order = group.open.first(where: matches) { return order } }
    return nil
  }

  /// Notes what a key has asked for.
  mutating func ask(_ orders: [Order], at time: Timestamp?) {
    guard !orders.isEmpty else { return }
    groups.append(Group(orders: orders, open: Set(orders), since: time))
  }

  /// Notes an answer.
  ///
  /// - Parameters:
  ///   - order: What was answered.
  ///   - failure: Why it was not done; nil where it was.
  /// - Returns: All that was asked for together with it, once the last of it is answered.
  mutating func close(_ order: Order, failure: String? = nil) -> Group? {
    guard let index = groups.firstIndex(where: { $0.open.contains(order) }) else { return nil }
    groups[index].open.remove(order)
    if let failure { groups[index].failures.append(failure) }
    return groups[index].open.isEmpty ? groups.remove(at: index) : nil
  }

  /// Forgets moves of jobs: they are to stop, and are not moved any more.
  mutating func dropMoves(of ids: Set<JobID>) {
    for index in groups.indices {
      groups[index].open = groups[index].open.filter { order in
        if case .move(let id, _) = order { !ids.contains(id) } else { true }
      }
    }
    groups.removeAll(where: \.open.isEmpty)
  }

  /// Forgets everything: whoever would answer is gone.
  mutating func forget() { groups = [] }

  /// The last of the keys whose silence is to be told now; it counts as told.
  mutating func takeSilent(at time: Timestamp) -> Group? {
    var silent: Group?
    for index in groups.indices where !groups[index].isSilenceTold {
      guard let since = groups[index].since, time.seconds(since: since) >= Self.patience else {
        continue
      }
      groups[index].isSilenceTold = true
      silent = groups[index]
    }
    return silent
  }

  /// When the next silence is to be told; nil while there is none to come.
  var nextSilence: Timestamp? {
    groups.lazy.filter { !$0.isSilenceTold }.compactMap(\.since).min()?
      .advanced(bySeconds: Self.patience)
  }
}
