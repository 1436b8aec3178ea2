import InstallJobs
import PackageTools

/// What is fetched, and was, for jobs that wait for their turn.
struct AheadFetches: Sendable {
  /// How many jobs that wait have their archives fetched: what lies there must stay bounded.
  static let most = 4

  private(set) var running: (job: JobID, task: Task<Void, Never>)?
  /// Jobs whose archives were fetched, or could not be; they are not tried again.
  private var tried: Set<JobID> = []
  /// Those of them whose archives are there.
  private var complete: Set<JobID> = []

  /// Notes that a job's archives are being fetched.
  mutating func begin(_ job: JobID, _ task: Task<Void, Never>) {
    tried.insert(job)
    running = (job, task)
  }

  /// Notes that this is over.
  mutating func end(_ job: JobID, isComplete: Bool) {
    if running?.job == job { running = nil }
    if isComplete, tried.contains(job) { complete.insert(job) }
  }

  /// Stops fetching for a job that is over.
  mutating func forget(_ job: JobID) {
    tried.remove(job)
    complete.remove(job)
    task(of: job)?.cancel()
  }

  /// What fetches for a job just now.
  func task(of job: JobID) -> Task<Void, Never>? { running?.job == job ? running?.task : nil }

  func isDone(_ job: JobID) -> Bool { tried.contains(job) }

  /// Whether a job finds all that it needs, and fetches nothing itself.
  func isComplete(_ job: JobID) -> Bool { complete.contains(job) }
}

extension Engine {
  /// Fetches the archives of the next jobs while one is at work that fetches nothing itself, for one
  /// job after the other, in the order of the queue.
  ///
  /// No more than that: two that fetch at once would share one network, and the one whose turn comes
  /// first would wait for the other's bytes.
  func fetchAhead() {
    guard provider.fetchesAhead, ahead.running == nil, queue.pause == nil, let job = queue.running,
      ahead.isComplete(job) || live[job]?.machine.isPastDownload == true
    else { return }
    let time = settings.now()
    let next = queue.upcoming(AheadFetches.most, at: time, isOver: isOver)
    var brought = arrivals(of: job)
    for id in next {
      defer { brought.formUnion(arrivals(of: id)) }
      guard !ahead.isDone(id), let waiting = live[id], !waiting.machine.plan.archives.isEmpty else {
        continue
      }
      let steps = waiting.machine.plan.steps
      let leftOut = Set(steps.indices.filter { brought.contains(Arrival(steps[$0])) })
      return fetch(for: id, waiting, leavingOut: leftOut)
    }
  }

  private func fetch(for id: JobID, _ job: LiveJob, leavingOut steps: Set<Int>) {
    let (provider, work) = (provider, work(of: id, job))
    let archives = work.plan.archives.filter { !steps.contains($0.key) && $0.value.hash != nil }
    let bytes = archives.values.lazy.map(\.size).total
    let task = Task { [weak self] in
      let isThere = await provider.fetchAhead(work, leavingOut: steps)
      await self?.fetchedAhead(id, isThere ? bytes : nil)
    }
    ahead.begin(id, task)
    _ = try? feed(.ahead("its archives are being fetched"), to: id)
  }

  /// Notes the end of a fetch: so many bytes are there; nil where not all came that was wanted.
  private func fetchedAhead(_ id: JobID, _ bytes: Int64?) {
    ahead.end(id, isComplete: bytes != nil)
    let fetched = bytes ?? 0
    if var snapshot = live[id]?.machine.snapshot {
      // Shown with its times, so these come first.
      snapshot.downloadedBytes = max(snapshot.downloadedBytes, fetched)
      queue.expect(QueueLoad(snapshot), of: id)
    }
    let words = bytes != nil ? "its archives are here" : nil
    _ = try? feed(.ahead(words, fetched: fetched), to: id)
    fetchAhead()
  }

  /// What a job unpacks.
  private func arrivals(of id: JobID) -> Set<Arrival> {
    let steps = live[id]?.machine.plan.steps ?? []
    return Set(steps.lazy.filter(\.action.unpacks).map(Arrival.init))
  }

  /// A package as it comes onto the machine.
  private struct Arrival: Hashable {
    var name: String
    var architecture: String
    var version: String?

    init(_ step: PlannedUpdate) {
      (name, architecture, version) = (step.name, step.architecture, step.toVersion)
    }
  }
}

extension JobMachine {
  /// Whether the job is at work and has its archives.
  var isPastDownload: Bool {
    switch state {
    case .working(.downloading, _), .queued, .held, .starting, .ended: false
    case .working, .suspended, .verifying: true
    }
  }
}
