import InstallJobs
import JobJournal
import Logging

/// Learning of durations, and estimates from learned durations.
extension Engine {
  /// Updates the cost estimates of a job that is about to start.
  ///
  /// Skips a job with complete estimates that are less than a minute old.
  func updateCosts(_ id: JobID) {
    guard let job = live[id] else { return }
    let age = job.costsEstimatedAt.map { settings.now().seconds(since: $0) }
    if job.machine.snapshot.expected != nil, let age, (0..<Self.learnedCostsLifetime).contains(age)
    {
      return
    }
    updateCosts(id, by: learnedCosts(of: job.machine.plan))
  }

  /// Sets the cost estimates of a job.
  func updateCosts(_ id: JobID, by learned: LearnedCosts) {
    live[id]?.transactionalMachine.change { $0.setLearnedCosts(by: learned) }
    live[id]?.costsEstimatedAt = settings.now()
    guard let plan = live[id]?.machine.plan else { return }
    for (index, step) in plan.steps.enumerated() where step.action.unpacks {
      live[id]?.configuringSeconds[index] = learned.ownCost(of: .configure, of: step)?.seconds
    }
  }

  /// Seconds for which learned costs are not read again.
  private static let learnedCostsLifetime = 60.0

  /// The learned costs of a plan's stages; costs that cannot be read are treated as unknown.
  func learnedCosts(of plan: JobPlan) -> LearnedCosts {
    var names = Set(plan.steps.map(\.name))
    if let first = plan.requests.first { names.insert(first.update.name) }
    let time = settings.now()
    do {
      return LearnedCosts(
        ofPackages: samplesOfThisMachine(try journal.durations(ofPackages: names)),
        on: try machineCosts(at: time),
        at: time)
    } catch {
      logger.warning("cannot read how long things took: \(error)")
      return LearnedCosts()
    }
  }

  /// The learned costs of any package on this machine.
  ///
  /// Cached for a minute, because many jobs need them.
  private func machineCosts(at time: Timestamp) throws(InstallationError) -> LearnedCosts {
    if let known = costsOfMachine,
      (0..<Self.learnedCostsLifetime).contains(time.seconds(since: known.at))
    {
      return known.costs
    }
    var samples: [DurationSample] = []
    for stage in CostStage.allCases {
      try samples += journal.durations(of: stage.rawValue, limit: LearnedCosts.samplesOfMachine)
    }
    let costs = LearnedCosts(ofMachine: samplesOfThisMachine(samples), at: time)
    costsOfMachine = (costs, time)
    return costs
  }

  /// The samples of transfers and of this machine: a copied state folder may contain samples of
  /// another machine.
  private func samplesOfThisMachine(_ samples: [DurationSample]) -> [DurationSample] {
    samples.filter { sample in
      CostStage(rawValue: sample.stage)?.isTransfer ?? false || sample.host == settings.machine
    }
  }

  /// The duration samples in an action, in the journal's form.
  func samples(
    from action: JobMachine.Action, of id: JobID, at time: Timestamp
  ) -> [DurationSample] {
    // While too little is known of the machine, its costs are read again after each job, so that
    // the third job counts at once.
    if case .learn = action, costsOfMachine.map({ !$0.costs.knowsMachine }) ?? false {
      costsOfMachine = nil
    }
    guard case .learn(let laps) = action, let machine = live[id]?.machine else { return [] }
    let plan = machine.plan
    let first = plan.requests.first?.update.name ?? ""
    // Packages that the machine satisfied meanwhile were not fetched, so their bytes are not
    // counted.
    let (host, fetched) = (plan.mainHost, machine.model.downloadedTotal)
    return laps.map { lap in
      let step = lap.step.map { plan.steps[$0] }
      // The duration of the last stage depends on the requested packages, because of their
      // triggers.
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
  /// The host with the most bytes of the plan's archives.
  fileprivate var mainHost: String {
    var bytes: [String: Int64] = [:]
    for archive in archives.values {
      bytes[archive.host] = [bytes[archive.host] ?? 0, archive.size].total
    }
    return bytes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
  }
}
