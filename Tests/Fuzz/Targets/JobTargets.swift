import FoundationEssentials
import InstallJobs
import JobText
import Monitor

/// Snapshots of jobs as JSON, and what people see of them.
struct SnapshotTarget: FuzzTarget {
  static let name = "snapshot"

  var seeds: [[UInt8]] {
    var loose = SampleJobs.snapshots[1]
    loose.updateSteps = []
    return (SampleJobs.snapshots + [loose]).compactMap(JSON.written)
  }
  var tokens: [String] { WireLines.words }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    guard let job = JSON.read(JobSnapshot.self, input) else { return }
    guard let written = JSON.written(job) else {
      throw BrokenPromise("a job that was read cannot be written")
    }
    try hold(JSON.read(JobSnapshot.self, written) == job, "a job written again is another")
    for line in JobTable.jobs([job]) + JobTable.history([job]) + JobTable.job(job) {
      try hold(line.isShownSafely, "a line about a job has controls: \(line.debugDescription)")
    }
    var changed = job
    for event in SampleJobs.events {
      var event = event
      event.job = job.id
      changed.apply(event)
    }
  }
}

/// Events as JSON, and what becomes of jobs by them.
struct EventTarget: FuzzTarget {
  static let name = "event"

  var seeds: [[UInt8]] { SampleJobs.events.compactMap(JSON.written) }
  var tokens: [String] { WireLines.words }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    guard let event = JSON.read(JobEvent.self, input) else { return }
    guard let written = JSON.written(event) else {
      throw BrokenPromise("an event that was read cannot be written")
    }
    try hold(JSON.read(JobEvent.self, written) == event, "an event written again is another")
    for var job in SampleJobs.snapshots {
      if let id = event.job { job.id = id }
      job.apply(event)
      let once = job
      job.apply(event)
      try hold(job == once, "an event applied twice is not the same as once")
      // Whatever this one left behind, the next ones find their way.
      for var next in SampleJobs.events {
        next.job = job.id
        job.apply(next)
      }
      for line in JobTable.job(once) {
        try hold(line.isShownSafely, "a line about a job has controls: \(line.debugDescription)")
      }
    }
    var report = PlainReport()
    let lines =
      report.apply(.snapshot(SampleJobs.snapshots)) + report.apply(.snapshotEnd(seq: 0))
      + report.apply(.event(event))
    for line in lines {
      try hold(line.isShownSafely, "a line of a report has controls: \(line.debugDescription)")
    }
  }
}

/// Plans as JSON, and what people see of them.
struct PlanTarget: FuzzTarget {
  static let name = "plan"

  var seeds: [[UInt8]] { [JSON.written(SampleJobs.plan)].compactMap(\.self) }
  var tokens: [String] { WireLines.words + ["-9223372036854775808", "\"size\":", "\"step\":"] }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    guard let plan = JSON.read(JobPlan.self, input) else { return }
    guard let written = JSON.written(plan) else {
      throw BrokenPromise("a plan that was read cannot be written")
    }
    try hold(JSON.read(JobPlan.self, written) == plan, "a plan written again is another")
    try hold(plan.downloadSize >= 0, "less than nothing is fetched")
    let request = JobRequest(.install, plan.requests.map(\.update))
    for line in PlanTable.lines(plan, request) + UpdatesTable.lines(plan.steps) {
      try hold(line.isShownSafely, "a line about a plan has controls: \(line.debugDescription)")
    }
    _ = JobSnapshot(
      id: JobID(1), request: request, plan: plan, requestedBy: Requester(uid: 0, user: "root"),
      provider: "apt", submittedAt: Timestamp(milliseconds: 0))
  }
}

enum JSON: Sendable {
  static func written(_ value: some Encodable) -> [UInt8]? {
    let encoder = JSONEncoder()
    // Otherwise another run made other inputs of the same seed.
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(value)).map { [UInt8]($0) }
  }

  static func read<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    try? JSONDecoder().decode(type, from: Data(bytes))
  }
}
