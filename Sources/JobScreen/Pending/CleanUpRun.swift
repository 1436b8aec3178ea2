import InstallJobs

/// A clean-up of several jobs: how far it is, what it freed, what could not be cleaned up and why.
struct CleanUpRun: Sendable, Hashable {
  /// Why a job could not be cleaned up.
  struct Failure: Sendable, Hashable {
    let job: JobID
    let reason: String
  }

  /// How many jobs it is about.
  private(set) var all: Int
  /// How many of them are cleaned up.
  private(set) var done = 0
  /// Bytes of archives that were fetched for those and are freed; nothing of simulated jobs.
  private(set) var freed: Int64 = 0
  private(set) var failures: [Failure] = []
  /// Jobs of which it was not heard whether they were cleaned up, by number.
  private(set) var unheard: [JobID] = []
  private var awaited: Set<JobID>

  init(_ ids: [JobID]) {
    all = ids.count
    awaited = Set(ids)
  }

  /// Whether nothing of it is outstanding.
  var isOver: Bool { awaited.isEmpty }

  func isAwaited(_ job: JobID) -> Bool { awaited.contains(job) }

  /// Takes more jobs in.
  mutating func add(_ ids: [JobID]) {
    let new = Set(ids).subtracting(awaited)
    all += new.count
    awaited.formUnion(new)
  }

  /// A job was cleaned up.
  mutating func finish(_ job: JobSnapshot) {
    guard awaited.remove(job.id) != nil else { return }
    done += 1
    freed = [freed, job.freedByCleanUp].total
  }

  /// A job could not be cleaned up.
  mutating func fail(_ job: JobID, _ reason: String) {
    guard awaited.remove(job) != nil else { return }
    failures.append(Failure(job: job, reason: reason))
  }

  /// Ends what is outstanding by what an engine tells that was away: one that was cleaned up
  /// meanwhile may not be listed any more.
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
        unheard.append(id)
      }
    }
  }

  /// `cleanup 3/5`; at the end what was freed, and what failed with its reason.
  var sentence: String {
    guard isOver else { return "cleanup \(done + failures.count)/\(all)" }
    let names = JobEnding.list(unheard.map { "\($0)" })
    let silence = unheard.isEmpty ? "" : "; the outcome of \(names) was not heard"
    let archives = freed > 0 ? ", \(Figures.bytes(freed)) of archives freed" : ""
    let count = done == all ? Figures.count(all, "job") : "\(done) of \(all) jobs"
    // As many reasons as a person reads; each is also said where it is tried again.
    let reasons = failures.prefix(3).map { "; \($0.job): \($0.reason)" }.joined()
    let more = failures.count > 3 ? "; and \(failures.count - 3) more" : ""
    return "\(count) cleaned up\(archives)" + reasons + more + silence
  }
}

extension JobSnapshot {
  /// Bytes of archives that a clean-up of it frees; a scenario fetches nothing.
  var freedByCleanUp: Int64 { provider.isSimulated ? 0 : max(0, downloadedBytes) }
}

extension MonitorState {
  /// Begins to clean up jobs; of several it says how far it is.
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

  /// Says that a job was cleaned up, or how far the clean-up of several is.
  mutating func reportCleanUp(of id: JobID) {
    // Asked for by a key of its own, also where a clean-up of several has taken the job in since.
    let isAsked = openOrders.close(.cleanUp(id), at: time.here) != nil
    guard let job = book[id]?.job else { return }
    guard cleanUps?.isAwaited(id) ?? false else {
      let freed = job.freedByCleanUp
      let archives = freed > 0 ? "\(Figures.bytes(freed)) of archives freed" : ""
      if let outcome = stopped.removeValue(forKey: id) {
        reportStopped(outcome + "; cleaned up" + (archives.isEmpty ? "" : ", " + archives), of: id)
        return
      }
      let text =
        "job \(id) is cleaned up and in the history" + (archives.isEmpty ? "" : ": " + archives)
      if isAsked { showAnswer(text, of: id) } else { mention(text, of: id) }
      return
    }
    cleanUps?.finish(job)
    _ = reportCleanUps()
  }

  /// Says how the clean-up of several jobs stands.
  mutating func reportCleanUps() -> [Intent] {
    guard let run = cleanUps else { return [] }
    showAnswer(run.sentence, isAlert: run.isOver && !run.failures.isEmpty)
    if run.isOver { cleanUps = nil }
    return []
  }

  /// Cleans a job up that has stopped, where its abort was asked for with that wish.
  ///
  /// One that failed, or left something half done, is kept: what it left is needed.
  mutating func cleanUpStopped(_ job: JobSnapshot) -> [Intent] {
    guard cleanedAfterAbort.remove(job.id) != nil, !job.isCleanedUp else { return [] }
    let reason: String? =
      if !job.repairs.isEmpty { "it needs repair" } else if job.isProblem {
        "it did not end well"
      } else if job.resultCode != .aborted { "it was not aborted" } else { changeRefusal }
    let ending = JobEnding(job)?.sentence ?? "is over"
    guard let reason else {
      // Nobody has to look into the history for what became of it.
      let outcome = "job \(job.id) \(ending)"
      let intents = cleanUp([job.id])
      if cleanUps == nil {
        stopped[job.id] = outcome
        showAnswer(outcome + "; cleaning up", of: job.id)
      } else {
        reportStopped(outcome, of: job.id)
      }
      return intents
    }
    // How a problem ended is told as such.
    let text =
      job.isProblem
      ? "job \(job.id) is not cleaned up: \(reason)"
      : "job \(job.id) \(ending); not cleaned up: \(reason)"
    warn(text)
    return []
  }

  /// Says how a job ended that was aborted with that wish, behind what was said of others since the
  /// last key.
  private mutating func reportStopped(_ text: String, of id: JobID) {
    stoppedTold.append(text)
    let more = stoppedTold.count > 3 ? ["and \(stoppedTold.count - 3) more, in the history"] : []
    showAnswer((stoppedTold.suffix(3).reversed() + more).joined(separator: " · "), of: id)
  }

  /// Forgets the wish to clean a job up when it has stopped, and says so behind `sentence`.
  mutating func dropWish(of id: JobID, behind sentence: String) -> String {
    guard cleanedAfterAbort.remove(id) != nil else { return sentence }
    return sentence + "; job \(id) will not be cleaned up"
  }

  /// After the connection is back: what became of clean-ups and of aborts meanwhile.
  mutating func resumeCleanUps() -> [Intent] {
    if var run = cleanUps {
      run.update { book[$0]?.job }
      cleanUps = nil
      showAnswer(run.sentence, isAlert: !run.failures.isEmpty)
    }
    let wished = cleanedAfterAbort.sorted()
    // What is not to stop any more was taken back meanwhile, or never heard: a later abort is
    // somebody else's, and no reason to clean up.
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
