import Canvas
import InstallJobs
import ThemeCatalog

@testable import Monitor

/// Jobs and states for the tests: a fixed time, fixed people, every state once.
enum Scene {
  static let noon = Timestamp(milliseconds: 1_767_268_800_000)
  static let ops = Requester(uid: 1000, user: "ops")

  static func at(_ seconds: Double) -> Timestamp { noon.advanced(bySeconds: seconds) }

  static func planned(
    _ name: String, _ version: String? = "1.0-1", from: String? = nil, size: Int64 = 480_000,
    action: PlannedAction? = nil, isRequested: Bool = true
  ) -> PlannedUpdate {
    PlannedUpdate(
      name: name, architecture: "amd64", action: action ?? (from == nil ? .install : .upgrade),
      fromVersion: from, toVersion: version, downloadSize: size, installedSize: size * 3,
      origin: "Debian:bookworm/main", requested: isRequested)
  }

  /// A job that was just accepted.
  static func job(
    _ id: Int, _ steps: [PlannedUpdate], operation: JobOperation = .install,
    by user: String = "ops",
    provider: String = "apt", priority: Int = 0
  ) -> JobSnapshot {
    var options = InstallationOptions()
    options.priority = priority
    options.clientName = "fettle"
    let requested = steps.indices.filter { steps[$0].requested }
    let plan = JobPlan(
      requests: requested.map { JobPlan.Request(update: Update(steps[$0].name), step: $0) },
      steps: steps,
      archives: Dictionary(
        steps.indices.filter { steps[$0].downloadSize > 0 }.map { index in
          (
            index,
            PlannedArchive(
              fileName: "a", size: steps[index].downloadSize, hash: nil, uri: "http://mirror/a")
          )
        }
      ) { first, _ in first })
    return JobSnapshot(
      id: JobID(id), request: JobRequest(operation, plan.requests.map(\.update), options: options),
      plan: plan, requestedBy: Requester(uid: 1000, user: user), provider: provider,
      submittedAt: at(Double(id)))
  }

  static func running(
    _ job: JobSnapshot, _ state: JobState, percent: Double, step: Int? = 0
  ) -> JobSnapshot {
    var job = job
    job.state = state
    job.startedAt = at(100)
    job.resultCode = .inProgress
    job.percentComplete = percent
    job.currentStepIndex = step
    job.currentUpdateIndex = step.flatMap { job.updateSteps.firstIndex(of: $0) }
    job.lastActivityAt = at(150)
    return job
  }

  static func ended(
    _ job: JobSnapshot, _ code: OperationResultCode, percent: Double,
    results: [OperationResultCode], error: InstallationError? = nil, took: Double = 108
  ) -> JobSnapshot {
    var job = running(job, .completed, percent: percent, step: nil)
    job.resultCode = code
    job.error = error
    job.endedAt = at(100 + took)
    job.abortPreview = .alreadyCompleted
    job.downloadedBytes = job.totalDownloadBytes
    for index in job.updates.indices where index < results.count {
      finish(&job.updates[index], results[index], error)
      if let step = job.updateSteps[index] { job.plan?[step] = job.updates[index] }
    }
    return job
  }

  private static func finish(
    _ status: inout UpdateStatus, _ code: OperationResultCode, _ error: InstallationError?
  ) {
    status.resultCode = code
    status.phase = code == .succeeded ? .done : code == .failed ? .configuring : .pending
    status.percentComplete = code == .succeeded ? 100 : code == .failed ? 90 : 0
    if code == .failed { status.error = error }
    if code == .notStarted { status.note = .notReached }
  }

  static let scriptError = InstallationError(
    .packageFailed, "cpp-12: its post-installation script failed", update: "cpp-12",
    detail: "post-installation script, exit status 3", hint: "fettle doctor says what to do")

  /// The download of nginx: one package there, one under way, two ahead.
  static var nginx: JobSnapshot {
    var job = running(
      job(
        1043,
        [
          planned("nginx-common", "1.24.0-2", size: 112_000, isRequested: false),
          planned("libmaxminddb0", "1.7.1-1", size: 29_000, isRequested: false),
          planned("nginx-core", "1.24.0-2", size: 6_200_000, isRequested: false),
          planned("nginx", "1.24.0-2", size: 86_000),
        ]), .downloading, percent: 18, step: 2)
    job.bytesPerSecond = 4_300_000
    job.etaSeconds = 125
    job.downloadedBytes = 1_260_000
    job.plan?[0].phase = .downloaded
    job.plan?[0].percentComplete = 30
    job.plan?[0].downloadedBytes = 112_000
    job.plan?[1].phase = .downloading
    job.plan?[1].percentComplete = 18
    job.plan?[1].downloadedBytes = 18_000
    job.plan?[2].phase = .downloading
    job.plan?[2].percentComplete = 6
    job.plan?[2].downloadedBytes = 1_120_000
    return job
  }

  /// The upgrade of some libraries, in the middle of the third package.
  static var upgrade: JobSnapshot {
    var job = running(
      job(
        1042,
        [
          planned("libc6", "2.36-9+u10", from: "2.36-9+u9", size: 2_700_000),
          planned("libc-bin", "2.36-9+u10", from: "2.36-9+u9"),
          planned("linux-image-6.1.0-31-amd64", "6.1.128-1", size: 68_000_000, isRequested: false),
          planned("openssl", "3.0.16-1", from: "3.0.15-1"),
          planned("libssl3", "3.0.16-1", from: "3.0.15-1"),
          planned("old-kernel", nil, from: "6.1.0", size: 0, action: .remove),
        ], operation: .upgrade), .installing, percent: 61, step: 2)
    job.etaSeconds = 80
    job.downloadedBytes = job.totalDownloadBytes
    job.abortPreview = .accepted(stopsAfter: "linux-image-6.1.0-31-amd64", etaSeconds: 7)
    for index in 0..<2 {
      job.plan?[index].phase = .done
      job.plan?[index].percentComplete = 100
      job.plan?[index].resultCode = .succeeded
      if let status = job.plan?[index] { job.updates[index] = status }
    }
    job.plan?[2].phase = .unpacking
    job.plan?[2].percentComplete = 50
    job.plan?[3].phase = .downloaded
    job.plan?[3].percentComplete = 30
    job.plan?[4].phase = .downloaded
    job.plan?[4].percentComplete = 30
    return job
  }

  /// Every state a job can have, one job each.
  static var queue: [JobSnapshot] {
    var stopping = running(
      job(1044, [planned("postgresql-client-15"), planned("postgresql-15")], by: "ci"),
      .stopping, percent: 83, step: 0)
    stopping.etaSeconds = 20
    stopping.abort = AbortRecord(
      requestedAt: at(140), requestedBy: ops,
      disposition: .accepted(stopsAfter: "postgresql-client-15", etaSeconds: 30))
    stopping.abortPreview = .accepted(stopsAfter: "postgresql-client-15", etaSeconds: 20)
    var waiting = running(
      job(1045, [planned("postgresql-15")], by: "ci"), .waitingForLock, percent: 0, step: nil)
    waiting.waitingFor = WaitReason(
      .lock, "the package lock is held", holder: LockHolder(pid: 4711, command: "apt-get"))
    var asking = running(job(1048, [planned("postfix", "3.7.11")]), .waitingForInput, percent: 55)
    asking.waitingFor = WaitReason(.question, "postfix asks about /etc/postfix/main.cf")
    var held = running(job(1049, [planned("cups")]), .suspended, percent: 20)
    held.waitingFor = WaitReason(.paused, "held by ops between two packages")
    var verifying = running(job(1050, [planned("curl")]), .finalizing, percent: 97, step: nil)
    verifying.abortPreview = .refused(
      reason: AbortRefusal(.verifying, "the result is being verified"))
    var lost = ended(
      job(1035, [planned("vim")], by: "cron"), .failed, percent: 12, results: [.notStarted])
    lost.state = .interrupted
    lost.error = InstallationError(.interrupted, "the worker vanished")
    return [
      upgrade, nginx, stopping, waiting, job(1046, [planned("redis-server")], by: "cron"),
      job(1047, [planned("redis-server")], by: "cron", priority: 5), asking, held, verifying,
      ended(
        job(1039, [planned("gcc-12"), planned("cpp-12")], by: "cron"), .succeededWithErrors,
        percent: 90, results: [.succeeded, .failed], error: scriptError),
      ended(
        job(1038, [planned("cpp-12")], by: "cron"), .failed, percent: 44, results: [.failed],
        error: scriptError),
      ended(
        job(1037, [planned("hello", "2.10-3")], by: "cron"), .succeeded, percent: 100,
        results: [.succeeded]),
      ended(
        job(1036, [planned("tree"), planned("sl"), planned("jq")]), .aborted, percent: 31,
        results: [.succeeded, .notStarted, .notStarted], took: 40),
      lost,
    ]
  }

  static let status = EngineStatus(
    engine: EngineStatus.Engine(
      pid: 812, version: "0.1", startedAt: noon, root: "/", provider: "apt"),
    queue: EngineStatus.Queue(running: 1, queued: 2, paused: false), lock: nil, runningJob: nil,
    requiresReboot: false, rebootReasons: [], seq: 40)

  static let logText = """
    Get:1 http://mirror/debian bookworm/main amd64 nginx-common [112 kB]
    Get:2 http://mirror/debian bookworm/main amd64 libmaxminddb0 [29.1 kB]
    W: mirror-b is slow
    Get:3 http://mirror/debian bookworm/main amd64 nginx-core [6,200 kB]
    E: a line that tells of an error

    """

  /// A monitor that is connected and has heard of `jobs`; the first job at work is shown.
  static func monitor(
    _ jobs: [JobSnapshot] = queue, size: Size = Size(columns: 80, rows: 24),
    readOnlyReason: String? = nil, log: String = logText
  ) -> MonitorState {
    var state = MonitorState(size: size, readOnlyReason: readOnlyReason)
    _ = state.update(.engine(status))
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot(jobs))
    _ = state.update(.snapshotEnd(seq: 40))
    answer(&state, jobs, log: log)
    return state
  }

  /// Answers the requests for plan and log of the job that is shown now.
  static func answer(_ state: inout MonitorState, _ jobs: [JobSnapshot], log: String = logText) {
    guard let id = state.shown, let job = jobs.first(where: { $0.id == id }), let plan = job.plan
    else { return }
    _ = state.update(.plan(id, plan))
    _ = state.update(.logChunk(id, offset: 0, text: log))
  }

  /// Presses keys one after the other and returns all intents.
  @discardableResult
  static func press(_ keys: [Key], in state: inout MonitorState) -> [Intent] {
    keys.flatMap { state.update(.key($0)) }
  }

  static func event(_ id: Int, _ payload: JobEvent.Payload, at seconds: Double = 160)
    -> MonitorEvent
  {
    .event(JobEvent(seq: 41, at: at(seconds), job: JobID(id), payload: payload))
  }
}
