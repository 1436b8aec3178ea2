import InstallJobs

/// What is fetched, and was, for jobs that wait for their turn.
struct AheadFetches: Sendable {
  /// How many jobs that wait have their archives fetched: what lies there must stay bounded.
  static let most = 4

  private(set) var running: (job: JobID, task: Task<Void, Never>)?
  /// Jobs whose archives were fetched, or could not be; they are not tried again.
  private var tried: Set<JobID> = []
  /// Those of them whose archives are there.
  private var complete: Set<JobID> = []
  /// What jobs before them bring, and was not fetched for those that were tried.
  private(set) var leftOut: [JobID: Set<Arrival>] = [:]

  /// Notes that a job's archives are being fetched, save those that jobs before it bring.
  mutating func begin(_ job: JobID, _ task: Task<Void, Never>, leavingOut arrivals: Set<Arrival>) {
    tried.insert(job)
    leftOut[job] = arrivals.isEmpty ? nil : arrivals
    running = (job, task)
  }

  /// Notes that this is over.
  mutating func end(_ job: JobID, isComplete: Bool) {
    if running?.job == job { running = nil }
    if isComplete, tried.contains(job) { complete.insert(job) }
  }

  /// Notes that packages have come onto the machine: nobody needs their archives any more.
  mutating func arrived(_ arrivals: Set<Arrival>) {
    for job in leftOut.keys { leftOut[job]?.subtract(arrivals) }
  }

  /// Has a job looked at again when its turn is near; what is being fetched for it goes on.
  mutating func checkAgain(at job: JobID) {
    tried.remove(job)
    complete.remove(job)
    leftOut[job] = nil
  }

  /// Stops fetching for a job that is over.
  mutating func forget(_ job: JobID) {
    checkAgain(at: job)
    task(of: job)?.cancel()
  }

  /// What fetches for a job just now.
  func task(of job: JobID) -> Task<Void, Never>? { running?.job == job ? running?.task : nil }

  func isDone(_ job: JobID) -> Bool { tried.contains(job) }

  /// Whether a job finds all that it needs, and fetches nothing itself.
  func isComplete(_ job: JobID) -> Bool { complete.contains(job) }
}

/// A package as it comes onto the machine.
struct Arrival: Sendable, Hashable {
  var name: String
  var architecture: String
  var version: String?

  init(_ step: PlannedUpdate) {
    (name, architecture, version) = (step.name, step.architecture, step.toVersion)
  }
}
