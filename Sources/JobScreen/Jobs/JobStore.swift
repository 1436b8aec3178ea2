import InstallJobs
import Synchronization

/// Every job the monitor knows, with the lists and sums that a frame needs kept up to date at each
/// event, so that drawing looks at the rows shown and at nothing else.
struct JobStore: Sendable {
  /// A package at work.
  struct Working: Sendable, Hashable {
    var step: Int
    var status: UpdateStatus
  }

  /// Counts look-ups of jobs, for the test that a frame's work does not grow with the jobs.
  final class Meter: Sendable {
    private let count = Atomic<Int>(0)

    init() {}

    /// Look-ups so far.
    var lookUps: Int { count.load(ordering: .relaxed) }
    fileprivate func add() { count.add(1, ordering: .relaxed) }
  }

  private var entries: [JobID: Entry] = [:]
  /// Jobs that are not cleaned up.
  private(set) var queue = JobOrder()
  /// Jobs that are over.
  private(set) var history = JobOrder()
  /// Jobs that only the history has, over and cleaned up; the eldest are forgotten.
  private(set) var past = JobOrder()
  private(set) var tally = Tally()
  // What cleaned-up jobs were of the work that is counted together.
  private var cleaned = Tally()
  /// Jobs of the queue that others pass.
  private(set) var passed = IneligibleJobs()
  /// What stands before each job that has a place in the queue.
  var outlook = QueueOutlook()
  /// How the jobs of the history ended, also those that are forgotten.
  private(set) var endings = EndedJobCounts()
  // The numbers of the jobs that are forgotten: mostly one run, however many there are.
  private var forgotten = RangeSet<Int>()
  // What the figures of jobs at work promise.
  private var promises: [JobID: JobPromise] = [:]
  /// What the lists are narrowed to and sorted by; lists so arranged are kept like the whole ones.
  private(set) var filter = JobFilter()
  private(set) var sort = JobSort.standard
  private var arrangedQueue = JobOrder()
  private var arrangedHistory = JobOrder()
  /// The lists as they are shown while no row may move; the others go on.
  private var held: HeldLists?
  private var aftermath = JobAftermath()
  var meter: Meter?

  init() {}

  /// How many jobs are known.
  var count: Int { entries.count }

  /// The sums of all that was to be done together: a job that is cleaned up stays counted until new
  /// work begins a new count, so that what is done never becomes less by tidying up.
  var overall: Tally { tally.adding(cleaned) }
  /// How many jobs of ``overall`` are cleaned up.
  var cleanedUpCount: Int { cleaned.jobs }

  subscript(id: JobID) -> Entry? {
    meter?.add()
    return entries[id]
  }

  /// Whether the lists are shown as they are.
  private var isPlain: Bool { filter.isEmpty && sort == .standard }

  /// The list of a screen, narrowed by the filter and sorted.
  func list(_ kind: Screen.Kind) -> JobOrder { held?[kind].order ?? current(kind) }

  /// The list as it would be if no row were held.
  private func current(_ kind: Screen.Kind) -> JobOrder {
    if kind == .history { return isPlain ? history : arrangedHistory }
    return isPlain ? queue : arrangedQueue
  }

  /// How many jobs stand first in the shown queue because they are at work; 0 in another order.
  var atWorkCount: Int {
    guard sort == .standard else { return 0 }
    return list(.queue).lowerBound(JobOrder.Place(section: 1, rank: .min, id: .min))
  }

  /// Where `id` stands in a screen's list.
  func index(of id: JobID, in kind: Screen.Kind) -> Int? {
    guard let entry = self[id] else { return nil }
    let place = place(of: entry, isHistory: kind == .history)
    return held.map { $0[kind].index(of: id, at: place) } ?? current(kind).index(of: place)
  }

  /// Whether rows of a list stand elsewhere than they would if they were not held.
  func isBehind(_ kind: Screen.Kind) -> Bool { held?[kind].isBehind ?? false }

  /// Lets no row move until ``releaseOrder()``: jobs go on in their places, new ones come last.
  mutating func holdOrder() {
    if held == nil { held = HeldLists(queue: current(.queue), history: current(.history)) }
  }

  /// Puts every row where it belongs.
  mutating func releaseOrder() { held = nil }

  /// Jobs of `jobs` whose rows are not what they were, or that are new.
  func changed(in jobs: [JobID: Entry]) -> Set<JobID> {
    Set(
      jobs.filter { id, new in
        entries[id].map { new.job.isShownOtherwise(than: $0.job) } ?? true
      }.keys)
  }

  /// Takes the time by the engine's clock: jobs whose time has come wait for their turn from now on.
  mutating func advance(to time: Timestamp) {
    passed.advance(to: time, { [entries] in entries[$0] }, isOver: ending)
    for id in passed.removeEligible() { foresee(id) }
  }

  /// Whether a job is over by what is known now: asked while the jobs that wait are brought along.
  var ending: IneligibleJobs.Ending {
    { [entries, forgotten] id in
      entries[id]?.job.state.isFinal ?? (forgotten.contains(id.rawValue) ? true : nil)
    }
  }

  /// Brings along whether others pass a job, and those that wait for it.
  private mutating func updateIneligible(_ id: JobID) {
    let entry = entries[id]
    let state = entry?.job.state
    // Most of what happens is the progress of jobs at work, and changes nothing here.
    guard state == .queued || state?.isFinal ?? true || passed.knows(id) else { return }
    let isOver = ending
    passed.update(id, entry, isOver: isOver)
    guard state?.isFinal ?? true else { return }
    for follower in passed.waiting(for: id) {
      passed.update(follower, entries[follower], isOver: isOver)
    }
  }

  /// Brings along what is left to do for a job, and for those that it retries or mends.
  private mutating func updateAftermath(_ id: JobID) {
    guard let job = entries[id]?.job else { return }
    for touched in aftermath.apply(job) { entries[touched]?.apply(aftermath) }
  }

  /// When a job at work should be over; nil where nothing is promised.
  func promise(of id: JobID) -> JobPromise? { promises[id] }

  /// What the first jobs at work promise, looking at no more than `most` jobs.
  func promisesAtWork(most: Int) -> [JobPromise] {
    guard !promises.isEmpty else { return [] }
    return queue.places.prefix(most).prefix { $0.section == 0 }.compactMap { place in
      entries[place.job]?.job.isStopping ?? true ? nil : promises[place.job]
    }
  }

  /// When those of the first jobs at work should have stopped that are to stop, looking at no more
  /// than `most` jobs.
  func stopsAtWork(most: Int) -> [StopPromise] {
    guard tally[.stopping] > 0 else { return [] }
    return queue.places.prefix(most).prefix { $0.section == 0 }.compactMap { place in
      entries[place.job].flatMap { $0.job.isStopping ? StopPromise($0.job) : nil }
    }
  }

  /// Takes over a whole snapshot in place of everything known, keeping the plan of one job.
  ///
  /// What was promised stays where the work is no further: an estimate that climbs puts no end off,
  /// however often one connects.
  ///
  /// - Parameters:
  ///   - jobs: All that the engine tells, of the journal whose jobs are known.
  ///   - shown: The job whose plan is kept.
  mutating func replaceAll(with jobs: consuming [JobID: Entry], keepingPlanOf shown: JobID?) {
    let plan = shown.flatMap { entries[$0]?.job.plan }
    let before = entries
    entries = jobs
    for (id, old) in before {
      guard let working = old.working, let job = entries[id]?.job, !job.state.isFinal else {
        continue
      }
      entries[id]?.working = working
    }
    for (id, old) in before { entries[id]?.keepPercent(of: old) }
    promises = entries.compactMapValues { [promises] in
      JobPromise($0.job, keeping: promises[$0.job.id])
    }
    // What is not told any more was cleaned up meanwhile.
    for (id, old) in before where entries[id] == nil || entries[id]?.job.isCleanedUp ?? false {
      if let share = Tally.Share(old) { cleaned.add(share) }
    }
    (tally, endings, forgotten) = (Tally(), EndedJobCounts(), RangeSet())
    aftermath = JobAftermath()
    for id in Array(entries.keys) { updateAftermath(id) }
    for entry in entries.values {
      Tally.Share(entry).map { tally.add($0) }
      if entry.job.state.isFinal { endings.add(.ended(entry.job)) }
    }
    queue = JobOrder(entries.values.filter { !$0.job.isCleanedUp }.map { .queue($0.job) })
    passed = IneligibleJobs()
    let isOver = ending
    for (id, entry) in entries { passed.update(id, entry, isOver: isOver) }
    _ = passed.removeEligible()
    outlook = QueueOutlook(
      entries.values.filter { $0.job.state == .queued && !passed.isPassed($0.job, isOver: isOver) }
        .map { (.queue($0.job), QueueLoad($0.job)) })
    let over = entries.values.filter(\.job.state.isFinal)
    history = JobOrder(over.map { .history($0.job) })
    past = JobOrder(over.filter(\.job.isCleanedUp).map { .history($0.job) })
    arrange(filter, sort, keepingOrder: true)
    if let shown, let plan, entries[shown]?.job.planCount == plan.count {
      entries[shown]?.job.plan = plan
    }
  }

  /// Forgets all jobs; the lists stay narrowed and sorted as they were.
  mutating func beginAnew() {
    let (filter, sort) = (filter, sort)
    self = JobStore()
    arrange(filter, sort)
  }

  /// Narrows and sorts the lists: the only work that goes through all jobs, at a key and not at a
  /// frame.
  ///
  /// Rows that are held are held in the new order, or in the one that they have where nobody asked
  /// for another.
  mutating func arrange(
    _ newFilter: JobFilter, _ newSort: JobSort, keepingOrder: Bool = false
  ) {
    defer {
      if let old = held {
        held = HeldLists(
          queue: current(.queue), history: current(.history), keeping: keepingOrder ? old : nil)
      }
    }
    (filter, sort) = (newFilter, newSort)
    (arrangedQueue, arrangedHistory) = (JobOrder(), JobOrder())
    guard !isPlain else { return }
    let matching = filter.isEmpty ? Array(entries.values) : entries.values.filter(filter.matches)
    arrangedQueue = JobOrder(
      matching.filter { !$0.job.isCleanedUp }.map { place(of: $0, isHistory: false) })
    arrangedHistory = JobOrder(
      matching.filter { $0.job.state.isFinal }.map { place(of: $0, isHistory: true) })
  }

  /// A job's place in a list as it is sorted.
  private func place(of entry: Entry, isHistory: Bool) -> JobOrder.Place {
    sort.place(of: entry, promised: promises[entry.job.id], isHistory: isHistory)
  }

  /// Brings the job of `event` up to date.
  mutating func apply(_ event: JobEvent) {
    guard let id = event.job else { return }
    if case .submitted(let job) = event.payload, entries[id] == nil {
      entries[id] = Entry(job: job.withoutPlan)
      if let entry = entries[id] { move(id, from: nil, to: placement(of: entry)) }
      return
    }
    change(id, by: event) { $0.apply(event) }
  }

  /// Takes cleaned-up jobs that ended before the connection; what is known stays as it is.
  ///
  /// Others are left to the engine, which tells of them.
  mutating func addPast(_ jobs: [JobSnapshot]) {
    for job in jobs where job.isCleanedUp && job.state.isFinal && entries[job.id] == nil {
      let entry = Entry(job: job.withoutPlan)
      entries[job.id] = entry
      // It was counted when it ended.
      if isForgotten(job.id) {
        forgotten.remove(contentsOf: job.id.rawValue..<job.id.rawValue + 1)
        endings.remove(.ended(job))
      }
      move(job.id, from: nil, to: placement(of: entry))
    }
  }

  /// Whether a job was known that is over, cleaned up and too far back to be kept.
  func isForgotten(_ id: JobID) -> Bool { forgotten.contains(id.rawValue) }

  /// Forgets of the jobs that only the history has those that are not among the newest.
  ///
  /// Their endings stay counted.
  ///
  /// - Parameters:
  ///   - most: How many of the newest are kept.
  ///   - isNeeded: Whether one is kept all the same.
  /// - Returns: The newest place that was given up; nil when none was.
  mutating func forgetPast(
    beyond most: Int, unless isNeeded: (JobID) -> Bool
  ) -> JobOrder.Place? {
    guard past.count > most else { return nil }
    var newest: JobOrder.Place?
    // A copy of these few, so that the long list is changed in place.
    for place in Array(past.places[most...].reversed()) {
      let id = place.job
      guard !isNeeded(id), forget(id) else { continue }
      newest = place
    }
    return newest
  }

  /// Forgets a job that is over; its ending stays counted.
  ///
  /// - Returns: Whether it was known.
  @discardableResult
  mutating func forget(_ id: JobID) -> Bool {
    // The greatest number there is, behind which no range ends, is only a harmful peer's.
    guard id.rawValue < .max, let entry = entries[id] else { return false }
    let standing = placement(of: entry)
    entries[id] = nil
    promises[id] = nil
    forgotten.insert(contentsOf: id.rawValue..<id.rawValue + 1)
    move(id, from: standing, to: nil)
    return true
  }

  private mutating func keepPromise(_ event: JobEvent, of id: JobID) {
    switch event.payload {
    case .state, .completed:
      if let job = entries[id]?.job, !JobPromise.isMade(by: job) { promises[id] = nil }
    case .progress:
      guard let job = entries[id]?.job, JobPromise.isMade(by: job) else {
        promises[id] = nil
        return
      }
      // Everything took its time, and something still goes on: what was promised is late.
      guard job.etaSeconds != nil || job.overdue == nil else { return }
      guard job.etaSeconds != nil else {
        promises[id] = nil
        return
      }
      if promises[id] == nil {
        promises[id] = JobPromise(job, at: event.at)
      } else {
        promises[id]?.apply(job, at: event.at)
      }
    case .submitted, .update, .abortRequested, .abortWithdrawn, .cleanedUp, .verifiedAfterReboot,
      .log, .engine:
      break
    }
  }

  /// Changes what is known about a job and brings every list and sum along.
  mutating func change(_ id: JobID, by event: JobEvent? = nil, _ body: (inout Entry) -> Void) {
    guard let index = entries.index(forKey: id) else { return }
    meter?.add()
    let before = placement(of: entries.values[index])
    body(&entries.values[index])
    // Lists may be sorted by it: it changes between the two standings.
    if let event { keepPromise(event, of: id) }
    move(id, from: before, to: placement(of: entries.values[index]))
  }

  /// Sets or forgets the plan of a job; a plan that is already followed is never set back.
  mutating func setPlan(_ plan: [UpdateStatus]?, of id: JobID) {
    guard let plan, let known = entries[id]?.job.plan, known.count == plan.count else {
      if let job = entries[id]?.job, let step = job.currentStepIndex, let old = job.plan,
        old.indices.contains(step)
      {
        entries[id]?.working = Working(step: step, status: old[step])
      }
      entries[id]?.job.plan = plan
      return
    }
    entries[id]?.job.plan = zip(known, plan).map { $0.merged(with: $1) }
  }

  /// Where a job stands now in the lists and sums.
  private func placement(of entry: Entry) -> ListPlacement {
    ListPlacement(
      entry, sortedBy: filter.isEmpty || filter.matches(entry) ? sort : nil,
      promised: promises[entry.job.id])
  }

  /// Brings lists and sums from one standing of a job to the next; nil is none.
  ///
  /// A job that leaves stays counted among the endings.
  private mutating func move(_ id: JobID, from old: ListPlacement?, to new: ListPlacement?) {
    if old == nil, new?.share != nil, tally.over == tally.jobs { cleaned = Tally() }
    if let share = old?.share {
      tally.remove(share)
      if new?.share == nil { cleaned.add(share) }
    }
    if let share = new?.share { tally.add(share) }
    updateIneligible(id)
    // Most of what happens is the progress of jobs at work.
    if old == nil || new?.ending != nil { updateAftermath(id) }
    if let place = old?.queue, place != new?.queue { outlook.remove(place) }
    if entries[id]?.job.state == .queued { foresee(id) }
    for turned in passed.removeEligible() where turned != id { foresee(turned) }
    if let new {
      if let ending = old?.ending { endings.remove(ending) }
      if let ending = new.ending { endings.add(ending) }
    }
    queue.move(from: old?.queue, to: new?.queue)
    history.move(from: old?.history, to: new?.history)
    past.move(from: old?.past, to: new?.past)
    held?.move(id, from: old, to: new)
    guard !isPlain else { return }
    arrangedQueue.move(from: old?.listedQueue, to: new?.listedQueue)
    arrangedHistory.move(from: old?.listedHistory, to: new?.listedHistory)
  }
}
