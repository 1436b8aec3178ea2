internal import InstallJobs

/// A queue for measuring with: so many jobs, the first ones at work, each moving at every beat.
///
/// A pure value; the same counts give the same jobs and events.
struct ScriptedQueue: Sendable {
  /// How many jobs there are.
  let count: Int
  /// How many of them move.
  let moving: Int
  /// The packages of each job's plan.
  let packages: Int
  /// The number of the last durable event; nothing that is durable happens after it.
  static let seq = 1
  /// Percent that a moving job gains at a beat: a visible piece of a bar of 25 columns.
  static let step = 0.5
  /// Beats after which moving jobs stand still at the end of their work.
  static let beats = 190
  private(set) var beat = 0
  private static let noon = Timestamp(milliseconds: 1_767_268_800_000)

  /// A queue at its first beat.
  init(count: Int, moving: Int, packages: Int = 4) {
    self.count = count
    self.packages = packages
    self.moving = min(moving, count)
  }

  /// The name of the package that a job is about.
  static func package(of id: JobID) -> String { "package-\(id.rawValue)" }

  /// How every job stands, by number: the moving ones first, then as many that wait as are over.
  var snapshots: [JobSnapshot] { (1...max(count, 1)).prefix(count).map { snapshot($0) } }

  /// One job with its plan; nil when there is none of this number.
  func job(_ id: JobID) -> JobSnapshot? {
    (1...count).contains(id.rawValue) ? snapshot(id.rawValue) : nil
  }

  /// Moves on by one beat and returns a tick of each moving job.
  mutating func advance() -> [JobEvent] {
    beat += 1
    guard beat <= Self.beats else { return [] }
    let time = Self.noon.advanced(bySeconds: 3600 + Double(beat) / 10)
    return (1...max(moving, 1)).prefix(moving).map { number in
      JobEvent(
        seq: Self.seq, at: time, job: JobID(number), payload: .progress(tick(number, at: time)))
    }
  }

  private var percent: Double { Double(min(beat, Self.beats)) * Self.step }

  private func tick(_ number: Int, at time: Timestamp) -> JobProgressTick {
    // The first of a job's packages are done before the later ones begin.
    let share = percent / 100 * Double(packages)
    let step = min(Int(share), packages - 1)
    let isDownload = isDownload(number)
    return JobProgressTick(
      percentComplete: percent, currentUpdateIndex: 0, currentStepIndex: step,
      downloadedBytes: isDownload ? Int64(percent * 40_000) : 4_000_000,
      // A rate that people can read changes once a second, not at every beat.
      bytesPerSecond: isDownload ? Double(1_200_000 + beat / 10 * 37_000 % 800_000) : nil,
      etaSeconds: (Double(Self.beats - beat) / 10).rounded(.up), lastActivityAt: time,
      isStalled: false, abortPreview: preview(number, step: step),
      steps: [
        .init(
          index: step, percentComplete: min(99, (share - Double(step)) * 100), downloadedBytes: 0)
      ])
  }

  /// Every fourth job fetches archives, the others install.
  private func isDownload(_ number: Int) -> Bool { number % 4 == 0 }

  private func preview(_ number: Int, step: Int) -> AbortDisposition {
    isDownload(number)
      ? .accepted(stopsAfter: nil)
      : .accepted(stopsAfter: stepName(number, step), etaSeconds: 4)
  }

  private func stepName(_ number: Int, _ step: Int) -> String {
    let name = Self.package(of: JobID(number))
    return step == packages - 1 ? name : "lib\(name)-\(step)"
  }

  private func snapshot(_ number: Int) -> JobSnapshot {
    var job = Self.accepted(number, steps: (0..<packages).map { stepName(number, $0) })
    if number <= moving {
      job.state = isDownload(number) ? .downloading : .installing
      job.startedAt = Self.noon.advanced(bySeconds: 3600)
      job.resultCode = .inProgress
      job.currentUpdateIndex = 0
      job.currentStepIndex = 0
      job.percentComplete = percent
      job.lastActivityAt = job.startedAt
      job.abortPreview = preview(number, step: 0)
    } else if number % 2 == 0 {
      job.state = .completed
      job.startedAt = Self.noon.advanced(bySeconds: Double(number % 3000))
      job.endedAt = job.startedAt?.advanced(bySeconds: 12)
      job.resultCode = .succeeded
      job.percentComplete = 100
      job.abortPreview = .alreadyCompleted
      job.downloadedBytes = job.totalDownloadBytes
      for index in job.updates.indices { Self.finish(&job.updates[index]) }
      job.plan = job.plan?.map { step in
        var step = step
        Self.finish(&step)
        return step
      }
    }
    return job
  }

  private static func finish(_ status: inout UpdateStatus) {
    status.phase = .done
    status.percentComplete = 100
    status.resultCode = .succeeded
  }

  private static func accepted(_ number: Int, steps names: [String]) -> JobSnapshot {
    let steps = names.map { name in
      PlannedUpdate(
        name: name, architecture: "amd64", action: .install, toVersion: "1.0-1",
        downloadSize: 1_000_000, installedSize: 3_000_000, origin: "Debian:bookworm/main",
        requested: name == names.last)
    }
    let update = Update(names.last ?? "")
    var options = InstallationOptions()
    options.clientName = "fettle-bench"
    let archives = steps.indices.map { index in
      (index, PlannedArchive(fileName: "a", size: 1_000_000, hash: nil, uri: "http://mirror/a"))
    }
    let plan = JobPlan(
      requests: [JobPlan.Request(update: update, step: steps.count - 1)], steps: steps,
      archives: Dictionary(uniqueKeysWithValues: archives))
    return JobSnapshot(
      id: JobID(number), request: JobRequest(.install, [update], options: options), plan: plan,
      requestedBy: Requester(uid: 1000, user: "ops"), provider: "apt",
      submittedAt: noon.advanced(bySeconds: Double(number) / 1000))
  }
}
