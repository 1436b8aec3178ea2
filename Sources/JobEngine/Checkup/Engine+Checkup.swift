package import InstallJobs
import JobJournal
import PackageProvider

extension Engine {
  /// Checks the machine and the engine; changes nothing (`fettle doctor`).
  ///
  /// Waits for its turn in the planning queue, because it uses the same tools, and ends when its
  /// task is cancelled.
  ///
  /// - Parameter user: The user who requests the checkup.
  /// - Returns: The checkup of the engine's root.
  /// - Throws: `busy` when too many requests wait for their turn.
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
    // Limited, because each finding reads jobs of the history, and a long repair may have many
    // faulty packages.
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
          hint: queue.pause?.cause == .request ? "'fettle resume' resumes the queue" : nil))
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

  /// Maximum number of findings that are completed from the history.
  private static let mostAfterRepair = 32

  /// Maximum number of jobs of a package that are searched for its last repair.
  private static let mostSinceRepair = 8

  /// Adds the result of the package's last repair to a finding if that repair failed: a repair that
  /// has just failed is no useful hint.
  private nonisolated func afterItsRepair(_ finding: Checkup.Finding) -> Checkup.Finding {
    guard finding.subject == .packages, finding.verdict == .fault, let name = finding.package,
      let history = try? journal.history(HistoryFilter(package: name), limit: Self.mostSinceRepair)
    else { return finding }
    let jobs = history.filter { !$0.options.isDownloadOnly }
    // A later job on the package has changed the package's state.
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
      // A removal that has just failed is no useful hint either.
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

  // Reads the file on the caller's thread, so that a long history does not delay the engine.
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
