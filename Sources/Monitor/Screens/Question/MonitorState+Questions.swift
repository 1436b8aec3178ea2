import Canvas
import InstallJobs
import JobText

extension MonitorState {
  /// Opens the abort question, or cancels the aborts if all of the jobs are stopping already.
  mutating func askAbort() -> [Intent] {
    let jobs = targets.compactMap { book[$0] }
    guard !jobs.isEmpty else {
      message = Message(text: "no job is selected", isAlert: true)
      return []
    }
    let open = jobs.filter { !$0.job.state.isFinal }
    guard !open.isEmpty else {
      message = Message(
        text: jobs.count == 1
          ? "job \(jobs[0].job.id) is over: there is nothing to abort"
          : "the \(jobs.count) jobs are over: there is nothing to abort", isAlert: true)
      return []
    }
    let fresh = open.filter { !$0.job.isStopping && !$0.isAbortAsked }
    guard !fresh.isEmpty else {
      let asked = open.filter { $0.job.isStopping }
      guard !asked.isEmpty else {
        say("the abort has been asked for; the engine has not answered yet")
        return []
      }
      return cancelAborts(asked.map(\.job))
    }
    if fresh.count == 1, case .refused = fresh[0].job.abortPreview {
      let job = fresh[0].job
      message = Message(
        text: "job \(job.id) \(job.abortPreview.sentence(for: job))", isAlert: true)
      return []
    }
    dialogue = .abort(AbortQuestion(fresh.map(\.job)), focus: .keep)
    return [.discardInput]
  }

  /// Cancels aborts: own aborts at once, aborts of other users only when the key is pressed again.
  private mutating func cancelAborts(_ jobs: [JobSnapshot]) -> [Intent] {
    let ids = Set(jobs.map(\.id))
    guard namedJobs == nil else {
      let names = JobEnding.list(jobs.map { "\($0.id)" })
      say("job \(names) is to stop already: withdraw cancels the abort")
      return []
    }
    let others = jobs.filter { !pendingCommands.ownAborts.contains($0.id) }
    guard others.isEmpty || offeredWithdrawal == ids else {
      offeredWithdrawal = ids
      let names = JobEnding.list(jobs.map { "\($0.id)" })
      let who = Set(others.compactMap { $0.abort?.requestedBy.user }).sorted()
      let asked = who.isEmpty ? "asked for elsewhere" : "asked for by \(JobEnding.list(who))"
      message = Message(
        text: "job \(names) \(jobs.count == 1 ? "is" : "are") stopping, \(asked):"
          + " the same key again cancels the abort", isAlert: true)
      return []
    }
    offeredWithdrawal = nil
    return announce(jobs.map { .cancelAbort($0.id) })
  }

  /// Jobs that have ended and are not cleaned up, by number.
  var finished: [JobID] {
    let places = book.queue.places
    let first = book.queue.lowerBound(JobOrder.Place(section: 2, rank: .min, id: .min))
    return places[first...].map(\.job).sorted()
  }

  /// Cleans up a single job at once, since installed packages are not affected.
  ///
  /// Asks first for several jobs, for a job whose archives may be needed for a repair, after a mouse
  /// click, and if the preferences demand it.
  mutating func askCleanUp(_ ids: [JobID]) -> [Intent] {
    let jobs = ids.compactMap { book[$0] }
    let ready = jobs.filter { $0.job.state.isFinal && !$0.job.isCleanedUp && !$0.isCleaning }
    guard !ready.isEmpty else {
      let text =
        if jobs.isEmpty { "there is no ended job to clean up" } else if jobs.count > 1 {
          "none of the \(jobs.count) jobs can be cleaned up: not over, or clean already"
        } else if jobs[0].job.isCleanedUp {
          "job \(jobs[0].job.id) is cleaned up already"
        } else if jobs[0].isCleaning {
          "job \(jobs[0].job.id) is being cleaned up"
        } else {
          "job \(jobs[0].job.id) is not over: it can be cleaned up when it has ended"
        }
      message = Message(text: text, isAlert: true)
      return []
    }
    let isSure = ready[0].job.repairs.isEmpty && !preferences.confirmsCleanUp && !isByMouse
    if jobs.count == 1, isSure, ready[0].job.id == selected {
      return cleanUp([ready[0].job.id])
    }
    dialogue = .cleanUp(
      CleanUpQuestion(
        // Jobs whose archives may be needed for a repair are named first.
        ids: ready.filter { !$0.job.repairs.isEmpty }.map(\.job.id)
          + ready.filter(\.job.repairs.isEmpty).map(\.job.id), skipped: jobs.count - ready.count,
        needRepair: ready.count { !$0.job.repairs.isEmpty }),
      focus: .keep)
    return [.discardInput]
  }

  /// Retries the failed parts of the selected or tagged jobs as new jobs.
  ///
  /// A single selected job is retried without a question, since nothing is undone.
  mutating func retry() -> [Intent] {
    let ids = targets.filter { book[$0]?.isRetriable ?? false }
    guard !ids.isEmpty else { return refuse(.retry, "none of the jobs can be retried") }
    guard ids.count <= 1, ids.first == selected, !isByMouse else {
      dialogue = .retry(RetryQuestion(ids: ids), focus: .keep)
      return [.discardInput]
    }
    return announce(ids.map { .retry($0) })
  }

  mutating func answerQuestion(with key: Key) -> [Intent] {
    guard var question = dialogue else { return [] }
    // A single line cannot name the jobs, so the question can only be declined there.
    let isShown = !FrameLayout(self, size: size).isLine
    if key == .character("c"), case .abort = question, !showsCheckbox { return [] }
    let answer = isShown ? question.handle(key) : key == .escape ? .keep : .none
    switch answer {
    case .none:
      dialogue = question
      return []
    case .keep:
      dialogue = nil
      say("nothing was changed")
      return []
    case .act:
      dialogue = nil
      tags = []
      return act(on: question)
    }
  }

  private mutating func act(on question: Dialogue) -> [Intent] {
    if let reason = changeRefusal {
      let name = actions.action(question.action)?.name ?? ""
      message = Message(text: "\(name): \(reason)", isAlert: true)
      return []
    }
    switch question {
    case .abort(let question, _):
      let ids = question.pending
      guard !ids.isEmpty else {
        say("nothing is left to abort")
        return []
      }
      // The selection stays with the aborted job, even when another job starts.
      isFollowing = false
      for id in ids { book.change(id) { $0.isAbortAsked = true } }
      let moved = pendingCommands.requestAborts(
        of: ids, cleansUp: question.cleansUp, at: time.here)
      for group in moved { showOutcome(of: group) }
      return [.requestAbort(ids)]
    case .cleanUp(let question, _):
      return cleanUp(question.ids)
    case .retry(let question, _): return announce(question.ids.map { .retry($0) })
    }
  }
}

extension Dialogue {
  fileprivate var action: Action.ID {
    switch self {
    case .abort: .abort
    case .cleanUp: .cleanUp
    case .retry: .retry
    }
  }
}
