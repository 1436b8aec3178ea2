import InstallJobs
import JobText
import Synchronization

/// All jobs that the monitor knows, with the lists and sums for a frame.
///
/// Each event updates them, so that drawing a frame reads only the visible rows.
struct JobStore: Sendable {
  /// The package that a job works on.
  struct Working: Sendable, Hashable {
    var step: Int
    var status: UpdateStatus
  }

  /// Counts lookups of jobs, to test that the work for a frame does not grow with the number of
  /// jobs.
  final class Meter: Sendable {
    private let count = Atomic<Int>(0)

    init() {}

    /// Number of lookups so far.
    var lookUps: Int { count.load(ordering: .relaxed) }
    fileprivate func add() { count.add(1, ordering: .relaxed) }
  }

  private var entries: [JobID: Entry] = [:]
  private var lists = JobLists()
  private(set) var tally = Tally()
  // The sums of the cleaned-up jobs that ``overall`` still counts.
  private var cleaned = Tally()
  /// Queued jobs that cannot start yet.
  private(set) var ineligible = IneligibleJobs()
  /// The total load before each job that can start.
  var outlook = QueueOutlook()
  /// Number of ended jobs for each result, including dropped jobs.
  private(set) var resultCounts = EndedJobCounts()
  // Numbers of dropped jobs. They form few ranges, however many jobs there are.
  private var forgotten = RangeSet<Int>()
  // Promised ends of jobs at work.
  private var promises: [JobID: JobPromise] = [:]
  private var aftermath = RepairsAndRetries()
  var meter: Meter?

  init() {}

  /// Number of known jobs.
  var count: Int { entries.count }

  /// The sums for the overall progress.
  ///
  /// A cleaned-up job stays counted until new work starts a new count, so that a clean-up never
  /// lowers the progress.
  var overall: Tally { tally.adding(cleaned) }
  /// Number of cleaned-up jobs in ``overall``.
  var cleanedUpCount: Int { cleaned.jobs }

  subscript(id: JobID) -> Entry? {
    meter?.add()
    return entries[id]
  }

  // MARK: Lists

  /// Jobs that are not cleaned up.
  var queue: JobOrder { lists.queue }
  /// Ended jobs.
  var history: JobOrder { lists.history }
  /// Ended, cleaned-up jobs, which only the history contains; the oldest ones are dropped.
  var past: JobOrder { lists.past }
  /// The filter of the lists.
  var filter: JobFilter { lists.filter }

  /// The filtered and sorted list of a screen, in frozen order if the order is frozen.
  func list(_ kind: Screen.Kind) -> JobOrder { lists.shown(kind) }

  /// Number of jobs at work at the top of the shown queue; 0 in another order than its own.
  var atWorkCount: Int {
    guard lists.sort == .standard else { return 0 }
    return list(.queue).lowerBound(JobOrder.Place(section: 1, rank: .min, id: .min))
  }

  /// The index of a job in the list of a screen; nil if the list does not contain it.
  func index(of id: JobID, in kind: Screen.Kind) -> Int? {
    self[id].flatMap { lists.index(of: $0, promised: promises[id], in: kind) }
  }

  /// Whether the frozen order of a list differs from its current order.
  func isBehind(_ kind: Screen.Kind) -> Bool { lists.isBehind(kind) }

  /// Freezes the row order until ``unfreezeOrder()``: jobs keep their places, new jobs come last.
  mutating func freezeOrder() { lists.freeze() }

  /// Ends the freeze: every row moves to its current place.
  mutating func unfreezeOrder() { lists.unfreeze() }

  /// Sets the filter and the order of the lists; with `keepingOrder` frozen rows keep their order.
  mutating func arrange(_ filter: JobFilter, _ sort: JobSort, keepingOrder: Bool = false) {
    lists.arrange(filter, sort, entries.values, promised: promises, keepingOrder: keepingOrder)
  }

  // MARK: Jobs

  /// Jobs in `jobs` that are new or whose rows differ from those of the known jobs.
  func changed(in jobs: [JobID: Entry]) -> Set<JobID> {
    Set(
      jobs.filter { id, new in
        entries[id].map { new.job.isShownOtherwise(than: $0.job) } ?? true
      }.keys)
  }

  /// Applies the time by the engine's clock: scheduled jobs become eligible at their time.
  mutating func advance(to time: Timestamp) {
    ineligible.advance(to: time, { [entries] in entries[$0] }, isOver: ending)
    for id in ineligible.removeChanged() { updateOutlook(id) }
  }

  /// Returns whether a job has ended, by the present data; used while waiting jobs are updated.
  var ending: IneligibleJobs.Ending {
    { [entries, forgotten] id in
      entries[id]?.job.state.isFinal ?? (forgotten.contains(id.rawValue) ? true : nil)
    }
  }

  /// Updates whether a job, and the jobs that wait for it, can start.
  private mutating func updateIneligible(_ id: JobID) {
    let entry = entries[id]
    let state = entry?.job.state
    // Most events are progress of jobs at work, which changes nothing here.
    guard state == .queued || state?.isFinal ?? true || ineligible.knows(id) else { return }
    let isOver = ending
    ineligible.update(id, entry, isOver: isOver)
    guard state?.isFinal ?? true else { return }
    for follower in ineligible.waiting(for: id) {
      ineligible.update(follower, entries[follower], isOver: isOver)
    }
  }

  /// Updates what is left to do for a job, and for the jobs that it retries or repairs.
  private mutating func updateAftermath(_ id: JobID) {
    guard let job = entries[id]?.job else { return }
    for touched in aftermath.apply(job) { entries[touched]?.apply(aftermath) }
  }

  /// The promised end of a job at work; nil if there is none.
  func promise(of id: JobID) -> JobPromise? { promises[id] }

  /// The promised ends among the first `most` jobs at work, except stopping jobs.
  func promisesAtWork(most: Int) -> [JobPromise] {
    guard !promises.isEmpty else { return [] }
    return queue.places.prefix(most).prefix { $0.section == 0 }.compactMap { place in
      entries[place.job]?.job.isStopping ?? true ? nil : promises[place.job]
    }
  }

  /// The expected stops of stopping jobs among the first `most` jobs at work.
  func stopsAtWork(most: Int) -> [StopPromise] {
    guard tally[.stopping] > 0 else { return [] }
    return queue.places.prefix(most).prefix { $0.section == 0 }.compactMap { place in
      entries[place.job].flatMap { $0.job.isStopping ? StopPromise($0.job) : nil }
    }
  }

  /// Replaces everything by a snapshot, keeping the plan of one job.
  ///
  /// A promised end stays if the job made no progress: a growing estimate does not move it, however
  /// often the client reconnects.
  ///
  /// - Parameters:
  ///   - jobs: All jobs that the engine sent, of the same journal as the known jobs.
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
    // A job that the engine no longer sends was cleaned up meanwhile.
    for (id, old) in before where entries[id] == nil || entries[id]?.job.isCleanedUp ?? false {
      if let share = Tally.Share(old) { cleaned.add(share) }
    }
    (tally, resultCounts, forgotten) = (Tally(), EndedJobCounts(), RangeSet())
    aftermath = RepairsAndRetries()
    for id in Array(entries.keys) { updateAftermath(id) }
    for entry in entries.values {
      Tally.Share(entry).map { tally.add($0) }
      if entry.job.state.isFinal { resultCounts.add(.ended(entry.job)) }
    }
    lists.replaceAll(with: entries.values, promised: promises)
    ineligible = IneligibleJobs()
    let isOver = ending
    for (id, entry) in entries { ineligible.update(id, entry, isOver: isOver) }
    _ = ineligible.removeChanged()
    outlook = QueueOutlook(
      entries.values.filter {
        $0.job.state == .queued && !ineligible.isIneligible($0.job, isOver: isOver)
      }
      .map { (.queue($0.job), QueueLoad($0.job)) })
    if let shown, let plan, entries[shown]?.job.planCount == plan.count {
      entries[shown]?.job.plan = plan
    }
  }

  /// Drops all jobs; filter and order stay.
  mutating func beginAnew() {
    let (filter, sort) = (lists.filter, lists.sort)
    self = JobStore()
    arrange(filter, sort)
  }

  /// Applies an event to its job.
  mutating func apply(_ event: JobEvent) {
    guard let id = event.job else { return }
    if case .submitted(let job) = event.payload, entries[id] == nil {
      entries[id] = Entry(job: job.withoutPlan)
      if let entry = entries[id] { move(id, from: nil, to: placement(of: entry)) }
      return
    }
    change(id, by: event) { $0.apply(event) }
  }

  /// Adds cleaned-up jobs that ended before the connection; known jobs stay unchanged.
  ///
  /// Jobs that are not cleaned up are ignored: the engine's snapshot contains them.
  mutating func addPast(_ jobs: [JobSnapshot]) {
    for job in jobs where job.isCleanedUp && job.state.isFinal && entries[job.id] == nil {
      let entry = Entry(job: job.withoutPlan)
      entries[job.id] = entry
      // The job was counted when it ended.
      if isForgotten(job.id) {
        forgotten.remove(contentsOf: job.id.rawValue..<job.id.rawValue + 1)
        resultCounts.remove(.ended(job))
      }
      move(job.id, from: nil, to: placement(of: entry))
    }
  }

  /// Whether a cleaned-up job was known and was dropped because it is too old.
  func isForgotten(_ id: JobID) -> Bool { forgotten.contains(id.rawValue) }

  /// Drops old jobs of the history that are cleaned up.
  ///
  /// Their results stay counted.
  ///
  /// - Parameters:
  ///   - most: Number of newest jobs to keep.
  ///   - isNeeded: Whether to keep an older job.
  /// - Returns: The newest place that was dropped; nil if none was.
  mutating func forgetPast(
    beyond most: Int, unless isNeeded: (JobID) -> Bool
  ) -> JobOrder.Place? {
    guard lists.past.count > most else { return nil }
    var newest: JobOrder.Place?
    // Only these few places are copied, so that the long list is changed in place.
    for place in Array(lists.past.places[most...].reversed()) {
      let id = place.job
      guard !isNeeded(id), forget(id) else { continue }
      newest = place
    }
    return newest
  }

  /// Drops an ended job; its result stays counted.
  ///
  /// - Returns: Whether the job was known.
  @discardableResult
  mutating func forget(_ id: JobID) -> Bool {
    // Only a hostile peer sends the greatest number, after which no range can end.
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
      // A job without an estimate that is overdue keeps its promise, which is then late.
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

  /// Changes the data of a job and updates every list and sum.
  mutating func change(_ id: JobID, by event: JobEvent? = nil, _ body: (inout Entry) -> Void) {
    guard let index = entries.index(forKey: id) else { return }
    meter?.add()
    let before = placement(of: entries.values[index])
    body(&entries.values[index])
    // The promise is a sort key, so it changes between the two placements.
    if let event { keepPromise(event, of: id) }
    move(id, from: before, to: placement(of: entries.values[index]))
  }

  /// Sets or drops the plan of a job.
  ///
  /// A known plan of the same length is merged: its phases and figures never go back.
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

  /// A job's current places in the lists and its share of the sums.
  private func placement(of entry: Entry) -> ListPlacement {
    ListPlacement(
      entry, sortedBy: filter.isEmpty || filter.matches(entry) ? lists.sort : nil,
      promised: promises[entry.job.id])
  }

  /// Moves a job from one placement to another in all lists and sums; nil means not known.
  ///
  /// A job that is dropped stays counted in the results.
  private mutating func move(_ id: JobID, from old: ListPlacement?, to new: ListPlacement?) {
    if old == nil, new?.share != nil, tally.over == tally.jobs { cleaned = Tally() }
    if let share = old?.share {
      tally.remove(share)
      if new?.share == nil { cleaned.add(share) }
    }
    if let share = new?.share { tally.add(share) }
    updateIneligible(id)
    // Only new and ended jobs have an effect here; most events are progress of jobs at work.
    if old == nil || new?.ending != nil { updateAftermath(id) }
    if let place = old?.queue, place != new?.queue { outlook.remove(place) }
    if entries[id]?.job.state == .queued { updateOutlook(id) }
    for turned in ineligible.removeChanged() where turned != id { updateOutlook(turned) }
    if let new {
      if let ending = old?.ending { resultCounts.remove(ending) }
      if let ending = new.ending { resultCounts.add(ending) }
    }
    lists.move(id, from: old, to: new)
  }
}
