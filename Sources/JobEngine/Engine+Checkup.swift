package import InstallJobs
import JobJournal
import PackageTools

extension Engine {
  /// Looks at the machine and at the engine itself; changes nothing (`fettle doctor`).
  ///
  /// - Parameter mayAct: Whether whoever asks may have anything changed.
  /// - Returns: The checkup of the engine's root.
  @concurrent package nonisolated func checkup(mayAct: Bool) async -> Checkup {
    let status = try? await status()
    var findings = await provider.checkup(job: status?.runningJob)
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
    return Checkup(root: provider.root, findings: findings)
  }

  // Reads the file on the caller's thread: a long history keeps no job waiting.
  private nonisolated func journalFinding() -> Checkup.Finding {
    do throws(InstallationError) {
      try journal.verify()
      return Checkup.Finding(
        .journal, .sound, "the journal is sound, its last event is \(journal.lastSeq)")
    } catch {
      return Checkup.Finding(.journal, .fault, error)
    }
  }
}
