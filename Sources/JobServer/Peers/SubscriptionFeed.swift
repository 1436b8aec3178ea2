internal import InstallJobs
internal import JobEngine
internal import JobTransport
internal import JobWire

/// One subscription: first the rows of the snapshot, then events.
struct SubscriptionFeed {
  /// The next action of the caller.
  enum Step {
    case notification(WireNotification)
    case fetch(after: Int)
    case idle
  }

  var number = 0
  /// The event number of the snapshot.
  ///
  /// Events with higher numbers follow.
  let seq: Int
  var backlog: EventBacklog
  /// Forwards events from the engine's stream; cancelled when the subscription ends.
  var pump: Task<Void, Never>?
  private var rows: ArraySlice<JobSnapshot>?
  /// Bytes that the rows occupy until the last one is sent.
  private let rowBytes: Int
  /// The subscription's share of the user's memory budget.
  private let share: BudgetShare

  /// Opens a subscription at the engine as the parameters say.
  ///
  /// - Parameters:
  ///   - parameters: The jobs, the first event and the kinds of events.
  ///   - engine: The engine to subscribe at.
  ///   - budget: The memory budget for data that is not sent yet.
  /// - Returns: The subscription, and the stream of events that follow.
  /// - Throws: `busy` if the budget is used up; `invalidArgument` for the epoch of another journal,
  ///   for an event number beyond the end or no longer kept, and for plans without named jobs;
  ///   `unknownJob` for a job that does not exist.
  static func open(
    _ parameters: SubscribeRequest, of engine: any EngineService, within budget: ByteBudget
  ) async throws(InstallationError) -> (SubscriptionFeed, AsyncStream<[JobEvent]>) {
    let epoch = await engine.epoch
    if let wanted = parameters.epoch, wanted != epoch {
      throw InstallationError(
        .invalidArgument, "the events of journal '\(epoch)' are not those of another one",
        class: .fatal, hint: "begin again without a number")
    }
    let wantsPlans = parameters.plans == true && parameters.from == nil
    guard parameters.jobs != nil || !wantsPlans else {
      throw InstallationError(
        .invalidArgument, "plans come only with named jobs", class: .fatal,
        hint: "name the jobs whose plans are wanted")
    }
    let isForAll = parameters.jobs == nil && parameters.from == nil
    let start = try await engine.subscribe(newest: isForAll ? parameters.window ?? .max : nil)
    let jobs = parameters.jobs.map(Set.init)
    let wantsQueue = parameters.queue ?? false
    let share = BudgetShare(of: budget)
    if let from = parameters.from {
      guard (0...start.seq).contains(from) else {
        throw InstallationError(
          .invalidArgument, "there is no event \(from): the last one is \(start.seq)",
          class: .fatal, hint: "use a number from 0 to \(start.seq)")
      }
      guard from >= start.keptAfter else {
        throw InstallationError(
          .invalidArgument, "events up to \(start.keptAfter) are not kept any more", class: .fatal,
          hint: "begin from event \(start.keptAfter), or without a number")
      }
      let backlog = EventBacklog(
        after: from, newest: start.seq, jobs: jobs, wantsQueue: wantsQueue)
      return (SubscriptionFeed(seq: from, backlog: backlog, share: share), start.events)
    }
    var seq = start.seq
    var rows = start.snapshots
    if let wanted = parameters.jobs {
      rows = []
      var bytes = 0
      for id in Set(wanted).sorted() {
        let row = try await engine.job(id)
        rows.append(wantsPlans ? row : row.withoutPlan)
        bytes += rows.last?.bytesKept ?? 0
        try reserve(bytes, of: share)
      }
      seq = try await advance(&rows, after: start.seq, of: engine)
    }
    let bytes = rows.reduce(0) { $0 + $1.bytesKept }
    try reserve(bytes, of: share)
    let backlog = EventBacklog(
      after: seq, newest: start.seq, jobs: jobs, wantsQueue: wantsQueue)
    return (
      SubscriptionFeed(
        seq: seq, backlog: backlog, rows: rows[...], rowBytes: bytes, share: share), start.events
    )
  }

  private init(
    seq: Int, backlog: EventBacklog, rows: ArraySlice<JobSnapshot>? = nil, rowBytes: Int = 0,
    share: BudgetShare
  ) {
    self.seq = seq
    self.backlog = backlog
    self.rows = rows
    self.rowBytes = rowBytes
    self.share = share
  }

  private static func reserve(_ bytes: Int, of share: BudgetShare) throws(InstallationError) {
    guard !share.resize(to: bytes) else { return }
    throw InstallationError(
      .busy, "not subscribed: the connections of this user keep too much that is not read",
      class: .transient, hint: "read what comes, or ask for a smaller window")
  }

  /// Approximate bytes of memory of the rows and events that wait to be sent.
  var bytes: Int { (rows == nil ? 0 : rowBytes) + backlog.bytes }

  /// Adds events of the engine.
  ///
  /// If the budget is used up, they are dropped and read from the journal later.
  mutating func push(_ events: [JobEvent]) {
    for event in events { backlog.push(event) }
    guard !share.resize(to: bytes) else { return }
    backlog.fallBehind()
    _ = share.resize(to: bytes)
  }

  /// Removes and returns the next step.
  ///
  /// - Parameter joinsTicks: Whether one notification may carry the progress of several jobs.
  /// - Returns: A notification, a request to read events from the journal, or idle.
  mutating func next(joiningTicks joinsTicks: Bool) -> Step {
    defer { _ = share.resize(to: bytes) }
    if let rows {
      guard !rows.isEmpty else {
        self.rows = nil
        return .notification(.snapshotEnd(subscription: number, seq: seq))
      }
      var count = 0
      var weight = 0
      for row in rows.prefix(64) where weight < 512 {
        count += 1
        weight += 1 + row.updates.count + (row.plan?.count ?? 0)
      }
      self.rows = rows.dropFirst(count)
      return .notification(.snapshot(subscription: number, jobs: Array(rows.prefix(count))))
    }
    switch backlog.next() {
    case .send(let event):
      guard joinsTicks, event.isProgress else {
        return .notification(.event(subscription: number, event))
      }
      var ticks = [event]
      while ticks.count < Self.mostTicks, let tick = backlog.nextTick() { ticks.append(tick) }
      return .notification(.ticks(subscription: number, ticks))
    case .fetch(let seq): return .fetch(after: seq)
    case .idle: return .idle
    }
  }

  /// Largest number of ticks in one notification, so that its line stays short.
  private static let mostTicks = 128

  /// Advances rows that were read after the subscription began to one common event number, and
  /// returns that number.
  ///
  /// The rows were read one by one, so each may contain more events than the previous one. All
  /// events up to the common number are applied to all rows; applying an event twice leaves the
  /// same result.
  private static func advance(
    _ rows: inout [JobSnapshot], after seq: Int, of engine: any EngineService
  ) async throws(InstallationError) -> Int {
    let end = await engine.lastSeq
    var reached = seq
    while reached < end {
      let events = try await engine.events(after: reached, limit: 256)
      guard let last = events.last else { break }
      for event in events where event.seq <= end {
        for index in rows.indices { rows[index].apply(event) }
      }
      reached = min(last.seq, end)
    }
    return reached
  }
}

extension JobSnapshot {
  /// Approximate bytes of a row.
  ///
  /// The lists of a job that has not ended are shared with the engine and not counted.
  fileprivate var bytesKept: Int {
    let listed = state.isFinal ? updates.count + (plan?.count ?? 0) : 0
    return MemoryLayout<JobSnapshot>.stride + listed * MemoryLayout<UpdateStatus>.stride
  }
}
