package import InstallJobs
import JobJournal
import PackageProvider

extension Engine {
  /// Looks at the machine and at the engine itself; changes nothing (`fettle doctor`).
  ///
  /// In its turn and ended by cancellation, as a plan is: it asks the same tools.
  ///
  /// - Parameter user: Who asks.
  /// - Returns: The checkup of the engine's root.
  /// - Throws: `busy` where too many requests wait for their turn already.
  package nonisolated func checkup(
    for user: PlanningUser
  ) async throws(InstallationError) -> Checkup {
    try await planning.plan(for: user) { () async throws(InstallationError) in
      await self.checkup(mayAct: user.mayAct)
    }
  }

  private nonisolated func checkup(mayAct: Bool) async -> Checkup {
    let status = try? await status()
    var findings = await provider.checkup { await self.presentWork() }
    // Each reads a job of the history, and a long repair has a package for each of its faults.
    for index in findings.indices.prefix(Self.mostAfterRepair) {
      findings[index] = afterItsRepair(findings[index])
    }
    if let status {
      let queue = status.queue
      findings.append(
        Checkup.Finding(
          .engine, queue.paused ? .attention : .sound,
          "the engine serves since \(startedAt), version \(settings.version), pid"
            + " \(status.engine.pid): \(queue.running) at work, \(queue.waitingWords)"
            + (queue.pause.map { ", \($0.message)" } ?? ""),
          hint: queue.pause?.cause == .request ? "'fettle resume' lets the queue go on" : nil))
    }
    findings.append(
      mayAct
        ? Checkup.Finding(.rights, .sound, "the engine takes jobs from you")
        : Checkup.Finding(
          .rights, .attention, "the engine lets you look, and takes no jobs from you",
          hint: "ask an administrator, or connect without read-only"))
    if status?.requiresRebootFirst == true {
      findings.append(
        Checkup.Finding(
          .restart, .fault, "the engine refuses jobs until the machine was restarted",
          hint: "restart it; the settings' 'requiresRebootFirst' decides this"))
    }
    let room = Checkup.Finding.space(at: settings.stateFolder, for: "archives and journal")
    findings.append(room)
    findings.append(journalFinding())
    if let finding = Checkup.state(in: settings.stateFolder) { findings.append(finding) }
    return Checkup(root: provider.root, findings: findings)
  }

  /// How many findings are looked up in the history.
  private static let mostAfterRepair = 32

  /// How many jobs of a package are looked at for its last repair.
  private static let mostSinceRepair = 8

  /// A finding with what the last repair of its package came to, where that failed: what has just
  /// failed is no advice.
  private nonisolated func afterItsRepair(_ finding: Checkup.Finding) -> Checkup.Finding {
    guard finding.subject == .packages, finding.verdict == .fault, let name = finding.package,
      let history = try? journal.history(HistoryFilter(package: name), limit: Self.mostSinceRepair)
    else { return finding }
    let jobs = history.filter { !$0.options.isDownloadOnly }
    // Whatever has worked on the package since has made another state of it.
    let since = jobs.prefix { $0.operation != .repair }
    guard !since.contains(where: { $0.resultCode == .succeeded }), since.count < jobs.count,
      case let last = jobs[since.count], last.state == .completed,
      last.resultCode == .failed || last.resultCode == .succeededWithErrors
    else { return finding }
    let row = last.updates.first { $0.name == name }
    guard row?.resultCode != .succeeded else { return finding }
    let error = row?.error ?? last.error
    let reason = error.map { ": " + ($0.detail ?? $0.message) } ?? ""
    var finding = finding
    if let removal = since.first(where: { $0.operation == .remove || $0.operation == .purge }) {
      // What has just failed is no advice, either.
      let error = removal.updates.first { $0.name == name }?.error ?? removal.error
      finding.message += "; its removal, job \(removal.id), failed"
      finding.message += error.map { ": " + ($0.detail ?? $0.message) } ?? ""
      finding.hint =
        "'fettle log \(removal.id) --update \(name)' shows why: put right what the script misses, or"
        + " the script itself, var/lib/dpkg/info/\(name).prerm or .postrm in the root, then"
        + " 'fettle purge \(name)' again"
      return finding
    }
    finding.message += "; the last repair, job \(last.id), failed\(reason)"
    finding.hint =
      "'fettle log \(last.id) --update \(name)' shows why: put that right and repair again, or take"
      + " the package away with 'fettle purge \(name)'"
    return finding
  }

  // Reads the file on the caller's thread: a long history keeps no job waiting.
  private nonisolated func journalFinding() -> Checkup.Finding {
    do throws(InstallationError) {
      try journal.verify()
      if let loss = journal.loss {
        return Checkup.Finding(
          .journal, .attention, "at the engine's start \(Self.report(loss))",
          hint: "'fettle jobs' and 'fettle history' show what is known")
      }
      return Checkup.Finding(
        .journal, .sound, "the journal is sound, its last event is \(journal.lastSeq)")
    } catch {
      return Checkup.Finding(.journal, .fault, error)
    }
  }
}
