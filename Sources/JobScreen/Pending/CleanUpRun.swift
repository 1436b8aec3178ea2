import InstallJobs

/// The progress of a clean-up of several jobs: jobs done, bytes freed, failures with reasons.
struct CleanUpRun: Sendable, Hashable {
  /// A job that could not be cleaned up, and why.
  struct Failure: Sendable, Hashable {
    let job: JobID
    let reason: String
  }

  /// Number of jobs to clean up.
  private(set) var all: Int
  /// Number of jobs cleaned up.
  private(set) var done = 0
  /// Freed bytes of downloaded archives; 0 for simulated jobs.
  private(set) var freed: Int64 = 0
  private(set) var failures: [Failure] = []
  /// Jobs with unknown outcome, by ascending number.
  private(set) var unknownOutcomes: [JobID] = []
  private var awaited: Set<JobID>

  init(_ ids: [JobID]) {
    all = ids.count
    awaited = Set(ids)
  }

  /// Whether every job has an outcome.
  var isOver: Bool { awaited.isEmpty }

  func isAwaited(_ job: JobID) -> Bool { awaited.contains(job) }

  /// Adds more jobs to the run.
  mutating func add(_ ids: [JobID]) {
    let new = Set(ids).subtracting(awaited)
    all += new.count
    awaited.formUnion(new)
  }

  /// Records that a job was cleaned up.
  mutating func finish(_ job: JobSnapshot) {
    guard awaited.remove(job.id) != nil else { return }
    done += 1
    freed = [freed, job.freedByCleanUp].total
  }

  /// Records that a job could not be cleaned up.
  mutating func fail(_ job: JobID, _ reason: String) {
    guard awaited.remove(job) != nil else { return }
    failures.append(Failure(job: job, reason: reason))
  }

  /// Records an outcome for every outstanding job from the jobs after a reconnection.
  ///
  /// A job that is not known any more may have been cleaned up meanwhile: its outcome counts as
  /// unknown.
  mutating func update(_ job: (JobID) -> JobSnapshot?) {
    for id in awaited.sorted() {
      if let job = job(id) {
        if job.isCleanedUp {
          finish(job)
        } else {
          fail(id, "the engine went away before it was done")
        }
      } else {
        awaited.remove(id)
        unknownOutcomes.append(id)
      }
    }
  }

  /// `cleanup 3/5`; at the end the freed bytes and the failures with their reasons.
  var sentence: String {
    guard isOver else { return "cleanup \(done + failures.count)/\(all)" }
    let names = JobEnding.list(unknownOutcomes.map { "\($0)" })
    let silence = unknownOutcomes.isEmpty ? "" : "; the outcome of \(names) was not heard"
    let archives = freed > 0 ? ", \(Figures.bytes(freed)) of archives freed" : ""
    let count = done == all ? Figures.count(all, "job") : "\(done) of \(all) jobs"
    // Three reasons are enough to read; the others are shown when the jobs are tried again.
    let reasons = failures.prefix(3).map { "; \($0.job): \($0.reason)" }.joined()
    let more = failures.count > 3 ? "; and \(failures.count - 3) more" : ""
    return "\(count) cleaned up\(archives)" + reasons + more + silence
  }
}

extension JobSnapshot {
  /// Bytes of archives that a clean-up of the job frees; 0 for a simulated job, which fetches none.
  var freedByCleanUp: Int64 { provider.isSimulated ? 0 : max(0, downloadedBytes) }
}

extension MonitorState {
  /// Starts to clean up jobs; for several jobs the message shows the progress.
  mutating func cleanUp(_ ids: [JobID]) -> [Intent] {
    for id in ids { book.change(id) { $0.isCleaning = true } }
    if ids.count > 1 || cleanUps != nil {
      if cleanUps == nil { cleanUps = CleanUpRun(ids) } else { cleanUps?.add(ids) }
      say(cleanUps?.sentence ?? "")
    } else {
      say(Order.asked(ids.map { .cleanUp($0) }))
    }
    return [.cleanUp(ids)]
  }

  /// Reports that a job was cleaned up, or the progress of a clean-up of several jobs.
  mutating func reportCleanUp(of id: JobID) {
    // A key requested the job's clean-up, even if a clean-up of several jobs has since included it.
    let isAsked = pendingCommands.close(.cleanUp(id), at: time.here) != nil
    guard let job = book[id]?.job else { return }
    guard cleanUps?.isAwaited(id) ?? false else {
      let freed = job.freedByCleanUp
      let archives = freed > 0 ? "\(Figures.bytes(freed)) of archives freed" : ""
      if let outcome = abortOutcomes.removeValue(forKey: id) {
        reportStopped(outcome + "; cleaned up" + (archives.isEmpty ? "" : ", " + archives), of: id)
        return
      }
      let text =
        "job \(id) is cleaned up and in the history" + (archives.isEmpty ? "" : ": " + archives)
      if isAsked { showAnswer(text, of: id) } else { showNews(text, of: id) }
      return
    }
    cleanUps?.finish(job)
    _ = reportCleanUps()
  }

  /// Reports the progress or the result of the clean-up of several jobs.
  mutating func reportCleanUps() -> [Intent] {
    guard let run = cleanUps else { return [] }
    showAnswer(run.sentence, isAlert: run.isOver && !run.failures.isEmpty)
    if run.isOver { cleanUps = nil }
    return []
  }

  /// Cleans up a stopped job if the abort question asked for that.
  ///
  /// A job that failed or left packages half done is kept, because its data is needed.
  mutating func cleanUpStopped(_ job: JobSnapshot) -> [Intent] {
    guard cleanedAfterAbort.remove(job.id) != nil, !job.isCleanedUp else { return [] }
    let reason: String? =
      if !job.repairs.isEmpty { "it needs repair" } else if job.isProblem {
        "it did not end well"
      } else if job.resultCode != .aborted { "it was not aborted" } else { changeRefusal }
    let ending = JobEnding(job)?.sentence ?? "is over"
    guard let reason else {
      // The outcome is part of the message, so that the user need not open the history.
      let outcome = "job \(job.id) \(ending)"
      let intents = cleanUp([job.id])
      if cleanUps == nil {
        abortOutcomes[job.id] = outcome
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
    guard cleanedAfterAbort.remove(id) != nil else { return sentence }
    return sentence + "; job \(id) will not be cleaned up"
  }

  /// Reports after a reconnection what became of clean-ups and aborts, and continues them.
  mutating func resumeCleanUps() -> [Intent] {
    if var run = cleanUps {
      run.update { book[$0]?.job }
      cleanUps = nil
      showAnswer(run.sentence, isAlert: !run.failures.isEmpty)
    }
    let wished = cleanedAfterAbort.sorted()
    // If a job is not stopping any more, its abort was cancelled meanwhile or never arrived. A
    // later abort is another user's and no reason to clean up.
    let kept = wished.filter { book[$0].map { $0.job.isStopping || $0.job.state.isFinal } ?? false }
    cleanedAfterAbort = Set(kept)
    if kept.count < wished.count {
      let names = JobEnding.list(wished.filter { !kept.contains($0) }.map { "\($0)" })
      warn("job \(names) will not be cleaned up: no abort of it stands")
    }
    let over = kept.compactMap { book[$0]?.job }.filter(\.state.isFinal)
    return over.flatMap { cleanUpStopped($0) }
  }
}
