import HostSystem
import InstallJobs
import PackageProvider

extension Engine {
  /// Fetches the archives of the next jobs in queue order, one job at a time, while the working job
  /// fetches nothing itself.
  ///
  /// Two fetches at once would share the network, and the job that runs first would wait for the
  /// bytes of the other.
  func fetchAhead() {
    guard provider.fetchesAhead else { return }
    let time = settings.now()
    let next = queue.upcoming(AheadFetches.maximumJobs, at: time, isOver: isOver)
    checkAgain(inOrder: (queue.running.map { [$0] } ?? []) + next)
    guard aheadFetches.running == nil, queue.pause == nil, let job = queue.running,
      aheadFetches.isComplete(job) || live[job]?.machine.isPastDownload == true
    else { return }
    var brought = arrivals(of: job)
    for id in next {
      defer { brought.formUnion(arrivals(of: id)) }
      guard !aheadFetches.isDone(id), let waiting = live[id], !waiting.machine.plan.archives.isEmpty
      else {
        continue
      }
      let steps = waiting.machine.plan.steps
      let leftOut = Set(steps.indices.filter { brought.contains(Arrival(steps[$0])) })
      return fetch(for: id, waiting, leavingOut: leftOut)
    }
  }

  /// Checks the jobs again for which a fetch left out packages that no job before them installs any
  /// more: that job did not install them, is paused, or has moved behind them.
  private func checkAgain(inOrder order: [JobID]) {
    guard !aheadFetches.skippedArrivals.isEmpty else { return }
    var brought: Set<Arrival> = []
    var unsure = Set(aheadFetches.skippedArrivals.keys)
    for id in order {
      if aheadFetches.skippedArrivals[id]?.isSubset(of: brought) ?? true { unsure.remove(id) }
      brought.formUnion(arrivals(of: id))
    }
    for id in unsure {
      aheadFetches.checkAgain(at: id)
      guard aheadFetches.task(of: id) == nil else { continue }
      _ = try? dispatch(.ahead(nil), to: id)
    }
  }

  private func fetch(for id: JobID, _ job: LiveJob, leavingOut steps: Set<Int>) {
    let (provider, work) = (provider, work(of: id, job))
    let archives = work.plan.archives.filter { !steps.contains($0.key) && $0.value.hash != nil }
    let bytes = archives.values.lazy.map(\.size).total
    let threads = providerThreads
    let task = Task { [weak self] in
      let isThere = await threads.run { () async -> Bool in
        await provider.fetchAhead(work, leavingOut: steps)
      }
      await self?.fetchedAhead(id, isThere ? bytes : nil)
    }
    aheadFetches.begin(id, task, leavingOut: Set(steps.map { Arrival(work.plan.steps[$0]) }))
    _ = try? dispatch(.ahead("its archives are being fetched"), to: id)
  }

  /// Records the end of a fetch.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - bytes: Number of bytes of the job's archives; nil when the fetch is incomplete.
  private func fetchedAhead(_ id: JobID, _ bytes: Int64?) {
    aheadFetches.end(id, isComplete: bytes != nil)
    let fetched = bytes ?? 0
    if var snapshot = live[id]?.machine.snapshot {
      // First the queue's expected cost: the event below publishes times that depend on it.
      snapshot.downloadedBytes = max(snapshot.downloadedBytes, fetched)
      queue.setLoad(QueueLoad(snapshot), of: id)
    }
    let words = aheadFetches.isComplete(id) ? "its archives are here" : nil
    _ = try? dispatch(.ahead(words, fetched: fetched), to: id)
    fetchAhead()
  }

  /// Records the packages that an ended job has installed.
  func noteArrivals(of job: LiveJob) {
    guard !aheadFetches.skippedArrivals.isEmpty, !job.machine.isDownloadOnly,
      let statuses = job.machine.snapshot.plan
    else { return }
    let steps = zip(job.machine.plan.steps, statuses)
    aheadFetches.removeSkipped(
      Set(
        steps.lazy.filter { $0.action.unpacks && $1.resultCode == .succeeded }
          .map { Arrival($0.0) }))
  }

  /// The packages that a job unpacks.
  private func arrivals(of id: JobID) -> Set<Arrival> {
    guard let machine = live[id]?.machine, !machine.isDownloadOnly else { return [] }
    let steps = machine.plan.steps
    return Set(steps.lazy.filter(\.action.unpacks).map(Arrival.init))
  }
}

extension JobMachine {
  /// Whether the job has started and no longer downloads archives.
  var isPastDownload: Bool {
    switch state {
    case .working(.downloading, _), .queued, .paused, .starting, .ended: false
    case .working, .suspended, .verifying: true
    }
  }
}
