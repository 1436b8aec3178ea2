import InstallJobs

/// The archive fetches for waiting jobs: the running one and the finished ones.
struct AheadFetches: Sendable {
  /// Maximum number of waiting jobs whose archives are fetched ahead; bounds the disk space that
  /// they need.
  static let maximumJobs = 4

  private(set) var running: (job: JobID, task: Task<Void, Never>)?
  /// Jobs whose archives were fetched or could not be fetched; they are not tried again.
  private var tried: Set<JobID> = []
  /// The tried jobs whose archives are complete.
  private var complete: Set<JobID> = []
  /// Packages whose archives were not fetched for a tried job, because a job before it installs
  /// them.
  private(set) var skippedArrivals: [JobID: Set<Arrival>] = [:]

  /// Records that a fetch for a job begins; `arrivals` are the packages that jobs before it
  /// install.
  mutating func begin(_ job: JobID, _ task: Task<Void, Never>, leavingOut arrivals: Set<Arrival>) {
    tried.insert(job)
    skippedArrivals[job] = arrivals.isEmpty ? nil : arrivals
    running = (job, task)
  }

  /// Records the end of a fetch.
  mutating func end(_ job: JobID, isComplete: Bool) {
    if running?.job == job { running = nil }
    if isComplete, tried.contains(job) { complete.insert(job) }
  }

  /// Removes packages that are installed now from ``skippedArrivals``: their archives are no longer needed.
  mutating func removeSkipped(_ arrivals: Set<Arrival>) {
    for job in skippedArrivals.keys { skippedArrivals[job]?.subtract(arrivals) }
  }

  /// Marks a job as not tried, so that it is checked again when its turn is near.
  ///
  /// A running fetch continues.
  mutating func checkAgain(at job: JobID) {
    tried.remove(job)
    complete.remove(job)
    skippedArrivals[job] = nil
  }

  /// Removes a job that is over and cancels its fetch.
  mutating func forget(_ job: JobID) {
    checkAgain(at: job)
    task(of: job)?.cancel()
  }

  /// The running fetch of a job; nil when there is none.
  func task(of job: JobID) -> Task<Void, Never>? { running?.job == job ? running?.task : nil }

  func isDone(_ job: JobID) -> Bool { tried.contains(job) }

  /// Whether all archives of a job are there, so that its work fetches nothing.
  func isComplete(_ job: JobID) -> Bool { complete.contains(job) }
}

/// A package in the version in which a job installs it.
struct Arrival: Sendable, Hashable {
  var name: String
  var architecture: String
  var version: String?

  init(_ step: PlannedUpdate) {
    (name, architecture, version) = (step.name, step.architecture, step.toVersion)
  }
}
