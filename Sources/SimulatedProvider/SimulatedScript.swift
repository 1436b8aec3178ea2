import InstallJobs
package import PackageProvider

/// The work of one job as a list of timed acts with their reports and changes.
///
/// Created once from scenario, plan and job number, without other input, so that the same input
/// gives the same acts.
package struct SimulatedScript: Sendable {
  /// The acts in order of time; the last one ends the work.
  package private(set) var acts: [Act] = []
  /// The steps to work on, in order.
  package let steps: [Int]

  private let index: ScenarioIndex
  private let work: JobWork
  private let circumstances: SimulatedDatabase.StartState
  private var random: SimulatedRandom
  private var time = 0.0
  private var part = Part.download
  private var exitStatus: Int32 = 0
  private var failed: Set<String> = []

  /// Creates the script of a job's work.
  package init(
    _ work: JobWork, index: ScenarioIndex, circumstances: SimulatedDatabase.StartState
  ) {
    self.work = work
    self.index = index
    self.circumstances = circumstances
    steps = work.plan.steps.indices.filter { !work.finishedSteps.contains($0) }
    let number = UInt64(truncatingIfNeeded: work.id.rawValue)
    random = SimulatedRandom(seed: index.scenario.seed ^ (number &* 0x9E37_79B9_7F4A_7C15))
    write()
  }

  /// Returns the answer to a request to stop in `part`.
  package func stopAnswer(in part: Part) -> StopAnswer {
    switch part {
    case .download, .lock: .atOnce
    case .step(let step):
      (steps.last ?? step) > step ? .after(step: step) : .finalStep(step)
    case .closing: steps.last.map { .finalStep($0) } ?? .over
    }
  }

  // MARK: Writing

  private var scenario: Scenario { index.scenario }

  private mutating func write() {
    var isOver = writeDownloads()
    let isDownload = work.request.options.isDownloadOnly
    if !isOver, !isDownload { isOver = writeLock() }
    if !isOver, !isDownload {
      addAct([.stage(.installing)])
      for step in steps where !isOver {
        part = .step(step)
        isOver = writeStep(step)
      }
    }
    if !isOver {
      part = isDownload ? .download : .closing
      addAct([.ended(WorkEnd(exitStatus: exitStatus, stoppedAtBoundary: false))])
    }
    // The first act of the installing stage already belongs to the first step.
    if let first = acts.firstIndex(where: { $0.reports == [.stage(.installing)] }),
      let step = steps.first
    {
      acts[first].part = .step(step)
    }
  }

  private mutating func addAct(
    _ reports: [WorkReport], _ changes: [SimulatedDatabase.Change] = [], log: String = ""
  ) {
    acts.append(
      Act(
        at: time, part: part, reports: reports, changes: changes, log: log,
        exitStatus: exitStatus))
  }

  private mutating func writeDownloads() -> Bool {
    let wanted = steps.filter { work.plan.archives[$0] != nil }
    guard !wanted.isEmpty else { return false }
    part = .download
    addAct([.stage(.downloading)])
    var lanes = [Double](repeating: 0, count: scenario.parallelDownloads)
    var moments: [Act] = []
    for step in wanted {
      let lane = lanes.indices.min { lanes[$0] < lanes[$1] } ?? 0
      let (own, end) = downloadActs(step, from: lanes[lane])
      moments += own
      lanes[lane] = end
    }
    let sorted = moments.enumerated().sorted {
      ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
    }.map(\.element)
    guard let last = sorted.firstIndex(where: { $0.endsWork }) else {
      acts += sorted
      time = sorted.last?.at ?? time
      return false
    }
    acts += sorted[...last]
    return true
  }

  private mutating func downloadActs(_ step: Int, from start: Double) -> ([Act], Double) {
    let package = package(of: step)
    let size = work.plan.archives[step]?.size ?? 0
    let fileName = work.plan.archives[step]?.fileName ?? ""
    let seconds =
      package.download.map { random.draw($0) } ?? Double(size) / scenario.bytesPerSecond
    var sub = self
    sub.acts = []
    sub.time = start
    sub.part = .download
    guard circumstances.fetched?.contains(fileName) != true else {
      sub.addAct([.phase(step: step, .downloaded)])
      return (sub.acts, sub.time)
    }
    sub.addAct([.phase(step: step, .downloading)], log: "Get: \(package.name) \(package.version)\n")
    let failure = failure(of: package, at: .download)
    let share = failure == nil && package.crash != .download ? 1.0 : 0.5
    sub.ticks(step, .download, seconds: seconds * share, package: package) { done in
      .downloaded(step: step, bytes: Int64(Double(size) * done * share))
    }
    if package.crash == .download {
      sub.addAct([.lost])
    } else if let failure, work.request.options.isDownloadOnly {
      exitStatus = 100
      let error = self.error(failure, of: package)
      sub.addAct(
        [.failed(step: step, error)], [.countFailure(package.key)], log: "E: \(error.message)\n")
    } else if let failure {
      let error = self.error(failure, of: package)
      sub.addAct(
        [
          .failed(step: step, error),
          .ended(WorkEnd(exitStatus: 100, stoppedAtBoundary: false)),
        ], [.countFailure(package.key)], log: "E: \(error.message)\n")
    } else {
      // Only archives of a download-only job stay; other jobs delete theirs.
      sub.addAct(
        [.downloaded(step: step, bytes: size), .phase(step: step, .downloaded)],
        work.request.options.isDownloadOnly ? [.fetched(fileName)] : [])
    }
    random = sub.random
    return (sub.acts, sub.time)
  }

  private mutating func writeLock() -> Bool {
    guard let lock = scenario.lock, lock.everyJob || !circumstances.lockPassed, !steps.isEmpty
    else {
      return false
    }
    part = .lock
    let limit = work.request.options.lockSeconds ?? .infinity
    addAct(
      [.stage(.waitingForLock(lock.holder))],
      log: "Waiting for the package lock, held by \(lock.holder.command ?? "process") "
        + "(\(lock.holder.pid))\n")
    let end = time + min(limit, lock.seconds)
    while time + 1 < end {
      time += 1
      addAct([.alive])
    }
    time = end
    guard limit >= lock.seconds else {
      let error = InstallationError(
        .busy, "the package lock is held by \(lock.holder.command ?? "another process")",
        class: .transient, hint: "try again when process \(lock.holder.pid) has ended")
      addAct([.ended(WorkEnd(exitStatus: 100, stoppedAtBoundary: false, error: error))])
      return true
    }
    addAct([.alive], [.lockPassed])
    return false
  }

  private mutating func writeStep(_ step: Int) -> Bool {
    let planned = work.plan.steps[step]
    let package = package(of: step)
    if let needed = package.dependencies.first(where: { failed.contains($0) }) {
      let error = InstallationError(
        .packageFailed, "cannot configure \(package.name): it needs \(needed), which failed",
        update: package.name, hint: "mend \(needed) first")
      return fail(step, package, error, goesOn: true)
    }
    switch planned.action {
    case .remove, .purge: return writeRemoval(step, package, purges: planned.action == .purge)
    case .configure: return writeConfiguration(step, package, version: planned.toVersion)
    case .install, .upgrade, .downgrade, .reinstall:
      let isOver = writeUnpack(step, package, version: planned.toVersion)
      if isOver || failed.contains(package.name) { return isOver }
      return writeConfiguration(step, package, version: planned.toVersion)
    }
  }

  private mutating func writeUnpack(
    _ step: Int, _ package: SimulatedPackage, version: String?
  ) -> Bool {
    let before = work.plan.steps[step].fromVersion
    addAct(
      [.phase(step: step, .unpacking)],
      [.set(package.key, state: "half-installed", version: version)],
      log: "Unpacking \(package.name) (\(version ?? "")) ...\n")
    return stage(step, .unpack, package.unpack, package) { script in
      script.addAct(
        [.phase(step: step, .unpacked)],
        [.set(package.key, state: "unpacked", version: version)])
    } undo: {
      .restore(
        package.key, state: before == nil ? "not-installed" : "installed", version: before)
    }
  }

  private mutating func writeConfiguration(
    _ step: Int, _ package: SimulatedPackage, version: String?
  ) -> Bool {
    addAct(
      [.phase(step: step, .configuring)],
      [.set(package.key, state: "half-configured", version: version)],
      log: "Setting up \(package.name) (\(version ?? "")) ...\n")
    let isOver = stage(step, .configure, package.configure, package) { script in
      let installed = SimulatedDatabase.Change.set(
        package.key, state: "installed", version: version)
      guard let trigger = package.trigger else {
        return script.finish(step, package, installed)
      }
      script.addAct(
        [.phase(step: step, .triggers), .trigger(trigger.package)],
        [.set(package.key, state: "triggers-awaited", version: version)],
        log: "Processing triggers for \(trigger.package) ...\n")
      let end = script.time + script.random.draw(trigger.seconds)
      while script.time + script.scenario.tick < end {
        script.time += script.scenario.tick
        script.addAct([.alive])
      }
      script.time = end
      script.addAct([.trigger(nil)])
      script.finish(step, package, installed)
    } undo: {
      .set(package.key, state: "half-configured", version: version)
    }
    return isOver
  }

  private mutating func writeRemoval(
    _ step: Int, _ package: SimulatedPackage, purges: Bool
  ) -> Bool {
    addAct(
      [.phase(step: step, .removing)], log: "Removing \(package.name) ...\n")
    let before = work.plan.steps[step].fromVersion
    return stage(step, .remove, package.remove, package) { script in
      script.addAct(
        [.phase(step: step, .done)],
        [
          purges
            ? .clear(package.key)
            : .leaveConfiguration(package.key)
        ])
    } undo: {
      .restore(
        package.key, state: before == nil ? "config-files" : "installed", version: before)
    }
  }

  private mutating func finish(
    _ step: Int, _ package: SimulatedPackage, _ installed: SimulatedDatabase.Change
  ) {
    let reboots = package.requiresReboot
    addAct(
      [.phase(step: step, .done)], [installed] + (reboots ? [.reboot(package.name)] : []))
  }

  // Writes one stage: its ticks, then its crash, its failure or its end. Returns whether the work
  // is over.
  private mutating func stage(
    _ step: Int, _ stage: Scenario.Stage, _ span: Scenario.Span, _ package: SimulatedPackage,
    end: (inout SimulatedScript) -> Void, undo: () -> SimulatedDatabase.Change
  ) -> Bool {
    let seconds = random.draw(span)
    let failure = failure(of: package, at: stage)
    let breaks = failure != nil || package.crash == stage
    ticks(step, stage, seconds: breaks ? seconds / 2 : seconds, package: package) { done in
      .fraction(step: step, breaks ? done / 2 : done)
    }
    if package.crash == stage {
      addAct([.lost])
      return true
    }
    if stage == .configure, let question = package.question {
      let error = InstallationError(
        .needsInput, "\(package.name) asks: \(question.text)", update: package.name,
        detail: question.defaultAnswer.map { "default answer: \($0)" },
        hint: "answer it beforehand, or allow questions")
      return fail(step, package, error, undo(), goesOn: false)
    }
    if let failure {
      return fail(
        step, package, self.error(failure, of: package), undo(), goesOn: failure.continuesAfterwards
      )
    }
    end(&self)
    return false
  }

  private mutating func fail(
    _ step: Int, _ package: SimulatedPackage, _ error: InstallationError,
    _ change: SimulatedDatabase.Change? = nil, goesOn: Bool
  ) -> Bool {
    failed.insert(package.name)
    exitStatus = 100
    var reports: [WorkReport] = [.failed(step: step, error)]
    if !goesOn { reports.append(.ended(WorkEnd(exitStatus: 100, stoppedAtBoundary: false))) }
    addAct(
      reports, [.countFailure(package.key)] + (change.map { [$0] } ?? []),
      log: "E: \(error.message)\n")
    return !goesOn
  }

  // Writes the reports of a stage: ticks, with backward steps if the package regresses, then the
  // package's flood and stall.
  private mutating func ticks(
    _ step: Int, _ stage: Scenario.Stage, seconds: Double, package: SimulatedPackage,
    report: (Double) -> WorkReport
  ) {
    let start = time
    let count = Int(seconds / scenario.tick)
    for tick in 1..<max(1, count) {
      time = start + Double(tick) * scenario.tick
      let done = Double(tick) / Double(count)
      addAct([report(done)])
      guard package.regresses else { continue }
      addAct([report(done / 3), .phase(step: step, .pending), .phase(step: step, .downloading)])
    }
    time = start + seconds
    if package.regresses { addAct([report(0.9), report(0.1), .phase(step: step, .pending)]) }
    if let flood = package.flood, flood.stage == stage { self.flood(flood, report) }
    if let stall = package.stall, stall.stage == stage { time += stall.seconds }
  }

  private mutating func flood(_ flood: Scenario.Flood, _ report: (Double) -> WorkReport) {
    let start = time
    let groups = min(100, flood.reports)
    for group in 0..<groups {
      let range = flood.reports * group / groups..<flood.reports * (group + 1) / groups
      time = start + flood.seconds * Double(group + 1) / Double(groups)
      addAct(range.map { report(Double($0 + 1) / Double(flood.reports)) })
    }
  }

  // MARK: Looking up

  private func package(of step: Int) -> SimulatedPackage {
    let planned = work.plan.steps[step]
    let named = index.packages(named: planned.name, planned.architecture)
    return named.last { $0.version == planned.toVersion } ?? named.last
      ?? SimulatedPackage(planned.name, planned.toVersion ?? "1.0")
  }

  private func failure(
    of package: SimulatedPackage, at stage: Scenario.Stage
  ) -> Scenario.Failure? {
    guard let failure = package.failure, failure.stage == stage,
      circumstances.failures[package.key, default: 0] < failure.times ?? .max
    else { return nil }
    return failure
  }

  private func error(
    _ failure: Scenario.Failure, of package: SimulatedPackage
  ) -> InstallationError {
    let (what, script) =
      switch failure.stage {
      case .download: ("cannot fetch \(package.name)", "the source answered with an error")
      case .unpack: ("cannot unpack \(package.name)", "pre-installation script")
      case .configure: ("cannot configure \(package.name)", "post-installation script")
      case .remove: ("cannot remove \(package.name)", "pre-removal script")
      }
    return InstallationError(
      failure.code, failure.message ?? what,
      class: failure.stage == .download ? .transient : .needsHuman, update: package.name,
      detail: failure.stage == .download
        ? script : "\(script), exit status \(failure.exitStatus)",
      hint: "read the log of the job")
  }
}
