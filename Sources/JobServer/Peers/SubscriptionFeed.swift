internal import InstallJobs
internal import JobEngine
internal import JobTransport
internal import JobWire

/// One subscription: first the rows of the snapshot, then events.
struct SubscriptionFeed {
  /// What comes next.
  enum Step {
    case notification(WireNotification)
    case fetch(after: Int)
    case idle
  }

  var number = 0
  /// The number after which events follow.
  let seq: Int
  var backlog: EventBacklog
  /// Takes events off the engine's stream; cancelled when the subscription ends.
  var pump: Task<Void, Never>?
  private var rows: ArraySlice<JobSnapshot>?
  /// What the rows take until the last of them is sent.
  private let rowBytes: Int
  /// What the subscription keeps of the memory of the user's connections.
  private let share: BudgetShare

  /// Opens a subscription at the engine as the parameters say.
  ///
  /// - Parameters:
  ///   - parameters: What is wanted.
  ///   - engine: Whose jobs they are.
  ///   - budget: The memory in which what is not sent yet has to have room.
  /// - Returns: The subscription, and what happens from there on.
  /// - Throws: `busy` where there is no room; `invalidArgument` for a foreign epoch, a number beyond the end, plans of everything;
  ///   `unknownJob` for a job that does not exist.
  static func open(
    _ parameters: SubscribeParameters, of engine: any EngineService, within budget: ByteBudget
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

  /// About how many bytes of memory wait to be sent.
  var bytes: Int { (rows == nil ? 0 : rowBytes) + backlog.bytes }

  /// Takes events of the engine; where they have no room they are read from the journal later.
  mutating func push(_ events: [JobEvent]) {
    for event in events { backlog.push(event) }
    guard !share.resize(to: bytes) else { return }
    backlog.fallBehind()
    _ = share.resize(to: bytes)
  }

  /// Takes the next step off the subscription.
  ///
  /// - Parameter joinsTicks: Whether progress of several jobs may come together.
  /// - Returns: A message, what has to be read for one, or that there is none.
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

  /// How many jobs' progress comes together at most, so that a line stays short.
  private static let mostTicks = 128

  /// Brings jobs that were read after the subscription began to one common moment.
  ///
  /// They were read one by one, so each may contain more than the one before. Every event up to a
  /// later moment is applied to all of them; applying one twice changes nothing in the end.
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
  /// About how many bytes a row of the job takes: what a job that is not over has in its lists lies in
  /// the engine, and both have it together.
  fileprivate var bytesKept: Int {
    let listed = state.isFinal ? updates.count + (plan?.count ?? 0) : 0
    return MemoryLayout<JobSnapshot>.stride + listed * MemoryLayout<UpdateStatus>.stride
  }
}
