import InstallJobs
import JobText

extension JobStore {
  /// A job and the monitor's own data about it.
  ///
  /// The value takes eight bytes. Its content lies on the heap, is shared by copies and changed in
  /// place by a sole owner, so that thousands of jobs are stored and sorted without copies.
  struct Entry: Sendable {
    private struct Content {
      var job: JobSnapshot
      // At most one element. An empty array takes no room in the entries of most jobs.
      var working: [Working]
      var isAbortAsked = false
      var isCleaning = false
      var retry: JobID?
      var isMended = false
    }

    // Exactly one element. An array gives copy-on-write storage on the heap.
    private var content: [Content]

    init(job: JobSnapshot) { content = [Content(job: job, working: [])] }

    var job: JobSnapshot {
      _read { yield content[0].job }
      _modify { yield &content[0].job }
    }
    /// The last package worked on and its index in the plan, for jobs without a plan.
    var working: Working? {
      get { content[0].working.first }
      set { content[0].working = newValue.map { [$0] } ?? [] }
    }
    /// Whether an abort was requested here and is not answered.
    var isAbortAsked: Bool {
      get { content[0].isAbortAsked }
      set { content[0].isAbortAsked = newValue }
    }
    /// Whether a clean-up was requested here and is not finished.
    var isCleaning: Bool {
      get { content[0].isCleaning }
      set { content[0].isCleaning = newValue }
    }

    /// The job that retries this one; nil if none is known.
    var retry: JobID? { content[0].retry }
    /// Whether the job left packages half done and a later job repaired them.
    var isMended: Bool { content[0].isMended }

    /// Applies the effect of later jobs: a repaired job needs no repair any more.
    mutating func apply(_ aftermath: RepairsAndRetries) {
      content[0].retry = aftermath.retry(of: job.id)
      guard !job.repairs.isEmpty, aftermath.isMended(job) else { return }
      (content[0].isMended, job.repairs) = (true, [])
    }

    var mark: JobMark { JobMark(job, isAbortAsked: isAbortAsked, isCleaning: isCleaning) }
  }
}

extension JobStore.Entry {
  /// Whether the job ended, did not fully succeed, and has no retry.
  var isRetriable: Bool {
    job.state.isFinal && job.resultCode != .succeeded && retry == nil
  }

  /// Keeps the percentage of the same job from before a reconnection if it was higher.
  ///
  /// A restarted engine knows only the progress that it had stored.
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
    // The percentage of a job never goes back.
    job.percentComplete = max(job.percentComplete, percent)
  }
}

extension JobWords {
  /// The words about a job, with what the monitor itself knows about it.
  init(entry: JobStore.Entry, queuePlace: Int? = nil) {
    let report = entry.working.flatMap { $0.step == entry.job.currentStepIndex ? $0.status : nil }
    self.init(
      entry.job, isAbortAsked: entry.isAbortAsked, isCleaning: entry.isCleaning,
      lastReport: report, queuePlace: queuePlace)
  }
}

extension UpdateStatus {
  /// The later of two reports on one package: phases and figures only increase.
  func merged(with other: UpdateStatus) -> UpdateStatus {
    var merged = other.phase < phase ? self : other
    merged.percentComplete = max(percentComplete, other.percentComplete)
    merged.downloadedBytes = max(downloadedBytes, other.downloadedBytes)
    if phaseTimes.entries.count > merged.phaseTimes.entries.count { merged.phaseTimes = phaseTimes }
    return merged
  }
}
