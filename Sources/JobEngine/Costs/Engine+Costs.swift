import InstallJobs
import JobJournal
import Logging

/// What the engine learns of how long things take, and what it expects by it.
extension Engine {
  /// Has a job that is about to begin measured by what was learned meanwhile.
  ///
  /// One that was accepted a moment ago, with all of it known, is measured already.
  func weigh(_ id: JobID) {
    guard let job = live[id] else { return }
    let age = job.weighedAt.map { settings.now().seconds(since: $0) }
    if job.machine.snapshot.expected != nil, let age, (0..<Self.freshness).contains(age) { return }
    weigh(id, by: learnedCosts(of: job.machine.plan))
  }

  /// Has a job measured by what was learned.
  func weigh(_ id: JobID, by learned: LearnedCosts) {
    live[id]?.rehearsed.change { $0.weigh(by: learned) }
    live[id]?.weighedAt = settings.now()
    guard let plan = live[id]?.machine.plan else { return }
    for (index, step) in plan.steps.enumerated() where step.action.unpacks {
      live[id]?.configuringSeconds[index] = learned.ownCost(of: .configure, of: step)?.seconds
    }
  }

  /// Seconds for which what was learned is not read again.
  private static let freshness = 60.0

  /// What a plan's stages cost; what cannot be read is not known.
  func learnedCosts(of plan: JobPlan) -> LearnedCosts {
    var names = Set(plan.steps.map(\.name))
    if let first = plan.requests.first { names.insert(first.update.name) }
    let time = settings.now()
    do {
      return LearnedCosts(
        ofPackages: own(try journal.durations(ofPackages: names)), on: try machineCosts(at: time),
        at: time)
    } catch {
      logger.warning("cannot read how long things took: \(error)")
      return LearnedCosts()
    }
  }

  /// What any package costs on this machine: read again after a minute, because many jobs ask.
  private func machineCosts(at time: Timestamp) throws(InstallationError) -> LearnedCosts {
    if let known = costsOfMachine, (0..<Self.freshness).contains(time.seconds(since: known.at)) {
      return known.costs
    }
    var samples: [DurationSample] = []
    for stage in CostStage.allCases {
      try samples += journal.durations(of: stage.rawValue, limit: LearnedCosts.samplesOfMachine)
    }
    let costs = LearnedCosts(ofMachine: own(samples), at: time)
    costsOfMachine = (costs, time)
    return costs
  }

  /// The samples of this machine, and of transfers to it: a state folder may come from another one.
  private func own(_ samples: [DurationSample]) -> [DurationSample] {
    samples.filter { sample in
      CostStage(rawValue: sample.stage)?.isTransfer ?? false || sample.host == settings.machine
    }
  }

  /// What an action teaches, in the journal's form.
  func samples(
    from action: JobMachine.Action, of id: JobID, at time: Timestamp
  ) -> [DurationSample] {
    // What too little was known of is read again: the third job of a machine counts at once.
    if case .learn = action, costsOfMachine.map({ !$0.costs.knowsMachine }) ?? false {
      costsOfMachine = nil
    }
    guard case .learn(let laps) = action, let machine = live[id]?.machine else { return [] }
    let plan = machine.plan
    let first = plan.requests.first?.update.name ?? ""
    // What the machine satisfied by itself meanwhile was left out, and came from nowhere.
    let (host, fetched) = (plan.mainHost, machine.model.downloadedTotal)
    return laps.map { lap in
      let step = lap.step.map { plan.steps[$0] }
      // What comes after the last package depends on which ones were wanted (triggers).
      let package = step?.name ?? (lap.stage == .conclude ? first : "")
      let bytes = lap.stage == .download ? fetched : step?.installedSize ?? 0
      return DurationSample(
        at: time, package: package, version: step?.toVersion ?? step?.fromVersion ?? "",
        stage: lap.stage.rawValue, seconds: lap.seconds, bytes: bytes,
        host: lap.stage.isTransfer ? host : settings.machine)
    }
  }
}

extension JobPlan {
  /// The host that most of the archives come from.
  fileprivate var mainHost: String {
    var bytes: [String: Int64] = [:]
    for archive in archives.values {
      bytes[archive.host] = [bytes[archive.host] ?? 0, archive.size].total
    }
    return bytes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
  }
}
