import InstallJobs
import JobText

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
