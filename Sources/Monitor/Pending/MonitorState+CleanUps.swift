import InstallJobs
import JobText

extension MonitorState {
  /// Starts to clean up jobs; for several jobs the message shows the progress.
  mutating func cleanUp(_ ids: [JobID]) -> [Intent] {
    for id in ids { book.change(id) { $0.isCleaning = true } }
    pendingCommands.addCleanUps(ids)
    say(
      pendingCommands.cleanUps?.sentence ?? EngineCommand.asked(ids.map { .cleanUp($0) }))
    return [.cleanUp(ids)]
  }

  /// Reports that a job was cleaned up, or the progress of a clean-up of several jobs.
  mutating func reportCleanUp(of id: JobID) {
    // A key requested the job's clean-up, even if a clean-up of several jobs has since included it.
    let isAsked = pendingCommands.finish(.cleanUp(id), at: time.here) != nil
    guard let job = book[id]?.job else { return }
    guard pendingCommands.isCleanUpOfSeveral(id) else {
      let freed = job.freedByCleanUp
      let archives = freed > 0 ? "\(Figures.bytes(freed)) of archives freed" : ""
      if let outcome = pendingCommands.removeAbortOutcome(of: id) {
        reportStopped(outcome + "; cleaned up" + (archives.isEmpty ? "" : ", " + archives), of: id)
        return
      }
      let text =
        "job \(id) is cleaned up and in the history" + (archives.isEmpty ? "" : ": " + archives)
      if isAsked { showAnswer(text, of: id) } else { showNews(text, of: id) }
      return
    }
    report(pendingCommands.updateCleanUps { $0.finish(job) })
  }

  /// Reports the progress or the result of the clean-up of several jobs.
  mutating func report(_ run: CleanUpRun?) {
    guard let run else { return }
    showAnswer(run.sentence, isAlert: run.isOver && !run.failures.isEmpty)
  }

  /// Cleans up a stopped job if the abort question asked for that.
  ///
  /// A job that failed or left packages half done is kept, because its data is needed.
  mutating func cleanUpStopped(_ job: JobSnapshot) -> [Intent] {
    guard pendingCommands.removeCleanUp(afterAbortOf: job.id), !job.isCleanedUp else { return [] }
    let reason: String? =
      if !job.repairs.isEmpty { "it needs repair" } else if job.isProblem {
        "it did not end well"
      } else if job.resultCode != .aborted { "it was not aborted" } else { changeRefusal }
    let ending = JobEnding(job)?.sentence ?? "is over"
    guard let reason else {
      // The outcome is part of the message, so that the user need not open the history.
      let outcome = "job \(job.id) \(ending)"
      let intents = cleanUp([job.id])
      if pendingCommands.cleanUps == nil {
        pendingCommands.keepAbortOutcome(outcome, of: job.id)
        showAnswer(outcome + "; cleaning up", of: job.id)
      } else {
        reportStopped(outcome, of: job.id)
      }
      return intents
    }
    // The failure message already names the result of a problem.
    let text =
      job.isProblem
      ? "job \(job.id) is not cleaned up: \(reason)"
      : "job \(job.id) \(ending); not cleaned up: \(reason)"
    warn(text)
    return []
  }

  /// Reports the end of a job that is cleaned up after its abort, followed by the earlier reports
  /// since the last key.
  private mutating func reportStopped(_ text: String, of id: JobID) {
    reportedOutcomes.append(text)
    let more =
      reportedOutcomes.count > 3 ? ["and \(reportedOutcomes.count - 3) more, in the history"] : []
    showAnswer((reportedOutcomes.suffix(3).reversed() + more).joined(separator: " · "), of: id)
  }

  /// Cancels the clean-up after an abort; returns `sentence`, extended if there was one to cancel.
  mutating func cancelCleanUp(of id: JobID, behind sentence: String) -> String {
    guard pendingCommands.removeCleanUp(afterAbortOf: id) else { return sentence }
    return sentence + "; job \(id) will not be cleaned up"
  }

  /// Reports after a reconnection what became of clean-ups and aborts, and continues them.
  mutating func reconnectCommands() -> [Intent] {
    let book = book
    let outcome = pendingCommands.reconnect { book[$0]?.job }
    report(outcome.cleanUps)
    if !outcome.keptJobs.isEmpty {
      let names = JobEnding.list(outcome.keptJobs.map { "\($0)" })
      warn("job \(names) will not be cleaned up: no abort of it stands")
    }
    return outcome.stoppedJobs.flatMap { cleanUpStopped($0) }
  }
}
