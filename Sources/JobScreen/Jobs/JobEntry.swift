import InstallJobs

extension JobStore {
  /// A job and what the monitor itself knows about it.
  ///
  /// Eight bytes: what is known lies on the heap, is shared by copies and changed in place by its
  /// only owner, so that thousands of jobs are kept, looked up and sorted without being copied.
  struct Entry: Sendable {
    private struct Content {
      var job: JobSnapshot
      // At most one, and none for most jobs: no room is kept for it.
      var working: [Working]
      var isAbortAsked = false
      var isCleaning = false
      var retry: JobID?
      var isMended = false
    }

    // One element: an array is storage on the heap that is copied when it is shared and changed.
    private var content: [Content]

    init(job: JobSnapshot) { content = [Content(job: job, working: [])] }

    var job: JobSnapshot {
      _read { yield content[0].job }
      _modify { yield &content[0].job }
    }
    /// The package that was worked on last and its index in the plan, for jobs without a plan.
    var working: Working? {
      get { content[0].working.first }
      set { content[0].working = newValue.map { [$0] } ?? [] }
    }
    /// An abort was asked for here and not yet answered.
    var isAbortAsked: Bool {
      get { content[0].isAbortAsked }
      set { content[0].isAbortAsked = newValue }
    }
    /// A clean-up was asked for here and has not come about yet.
    var isCleaning: Bool {
      get { content[0].isCleaning }
      set { content[0].isCleaning = newValue }
    }

    /// The job that was submitted for what this one left; nil where none is known.
    var retry: JobID? { content[0].retry }
    /// It left something half done, and a later job found everything whole.
    var isMended: Bool { content[0].isMended }

    /// Takes over what became of what the job left: what is mended needs no repair any more.
    mutating func apply(_ aftermath: JobAftermath) {
      content[0].retry = aftermath.retry(of: job.id)
      guard !job.repairs.isEmpty, aftermath.isMended(job) else { return }
      (content[0].isMended, job.repairs) = (true, [])
    }

    var mark: JobMark { JobMark(job, isAbortAsked: isAbortAsked, isCleaning: isCleaning) }
  }
}

extension JobStore.Entry {
  /// Whether it ended, something that was asked for did not succeed, and no job does that already.
  var isRetriable: Bool {
    job.state.isFinal && job.resultCode != .succeeded && retry == nil
  }

  /// Keeps the bar of the same job where it was before an engine told all anew: what moved since the
  /// last thing that was stored, it may have to find out again.
  mutating func keepPercent(of old: JobStore.Entry) {
    guard !job.state.isFinal, job.submittedAt == old.job.submittedAt,
      job.percentComplete < old.job.percentComplete
    else { return }
    job.percentComplete = old.job.percentComplete
  }

  mutating func apply(_ event: JobEvent) {
    let percent = job.percentComplete
    var old: UpdateStatus?
    if case .update(let index, _) = event.payload, let plan = job.plan, plan.indices.contains(index)
    {
      old = plan[index]
    }
    job.apply(event)
    switch event.payload {
    case .update(let index, let status):
      if let old { job.plan?[index] = old.merged(with: status) }
      switch status.phase {
      case .pending, .downloaded, .done: break
      case .downloading, .unpacking, .unpacked, .configuring, .removing, .triggers:
        working = JobStore.Working(step: index, status: status)
      }
    case .abortRequested, .completed: isAbortAsked = false
    case .cleanedUp: isCleaning = false
    case .submitted, .state, .progress, .abortWithdrawn, .verifiedAfterReboot, .log, .engine: break
    }
    if job.state.isFinal { working = nil }
    // A bar never goes back, whatever arrives.
    job.percentComplete = max(job.percentComplete, percent)
  }
}

extension UpdateStatus {
  /// The later of two reports on one package: phases and figures only go forward.
  func merged(with other: UpdateStatus) -> UpdateStatus {
    var merged = other.phase < phase ? self : other
    merged.percentComplete = max(percentComplete, other.percentComplete)
    merged.downloadedBytes = max(downloadedBytes, other.downloadedBytes)
    if phaseTimes.entries.count > merged.phaseTimes.entries.count { merged.phaseTimes = phaseTimes }
    return merged
  }
}
