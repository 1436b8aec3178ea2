import FoundationEssentials
import InstallJobs
import Support
import Testing

@Suite struct `The JSON of jobs and events` {
  private static let plan = JobPlan(
    requests: [JobPlan.Request(update: Update("beta"), step: 1)],
    steps: [
      PlannedUpdate(
        name: "alpha", architecture: "amd64", action: .install, toVersion: "1.0",
        downloadSize: 10, installedSize: 20, origin: "Debian:bookworm/main"),
      PlannedUpdate(
        name: "beta", architecture: "all", action: .upgrade, fromVersion: "1", toVersion: "2",
        requested: true),
    ])
  static let job = JobSnapshot(
    id: JobID(12), request: JobRequest(.install, [Update("beta")]), plan: plan,
    requestedBy: Requester(uid: 0, user: "root"), provider: "apt",
    submittedAt: Timestamp(milliseconds: 0))

  private static func json(_ value: some Encodable) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
  }

  @Test func `a job has every field of the contract, with null where nothing is`() throws {
    let job = try Self.json(Self.job)
    for name in [
      "id", "operation", "state", "resultCode", "requestedBy", "clientName", "comment",
      "submittedAt", "startedAt", "endedAt", "percentComplete", "currentUpdateIndex",
      "queuePosition", "waitingFor", "abort", "error", "rebootRequired", "downloadedBytes",
      "totalDownloadBytes", "bytesPerSecond", "etaSeconds", "lastActivityAt", "updates", "plan",
      "etaSpreadSeconds", "expected", "startsInSeconds", "endsInSeconds", "overdue",
    ] {
      #expect(job[name] != nil, "\(name) is missing")
    }
    #expect(job["id"] == 12 && job["state"] == "queued" && job["startedAt"] == JSONValue.null)
    #expect(job["requestedBy"] == .object(["uid": 0, "user": "root"]))
    #expect(job["plan"]?.elements.map { $0["name"] } == ["alpha", "beta"])
    let update = try #require(job["updates"]?.elements.first)
    for name in [
      "name", "architecture", "action", "fromVersion", "toVersion", "phase", "percentComplete",
      "resultCode", "error", "downloadSize", "installedSize", "origin", "requested",
    ] {
      #expect(update[name] != nil, "\(name) is missing")
    }
  }

  @Test func `phases read back in their order, also when the clock was set back`() throws {
    var times = PhaseTimes()
    times.record(.unpacking, at: Timestamp(milliseconds: 9000))
    times.record(.configuring, at: Timestamp(milliseconds: 2000))
    times.record(.done, at: Timestamp(milliseconds: 3000))
    let read = try JSONDecoder().decode(PhaseTimes.self, from: JSONEncoder().encode(times))
    #expect(read == times)
  }

  @Test func `a plan of an older journal reads back with nothing left out`() throws {
    var plan = Self.plan
    plan.leftOut = [
      JobPlan.LeftOut(name: "base", architecture: "all", version: "1", reason: .onlyCounted)
    ]
    let text = try JSONEncoder().encode(plan)
    #expect(try JSONDecoder().decode(JobPlan.self, from: text) == plan)
    let older = Data(
      """
      {"requests": [{"update": {"name": "base"}, "note": "onlyCounted", "foundVersion": "1"}],
      "steps": [], "archives": {}, "installedSizeChange": 0, "fingerprint": "", "warnings": []}
      """.utf8)
    let read = try JSONDecoder().decode(JobPlan.self, from: older)
    #expect(read.leftOut.isEmpty && read.requests.first?.note == nil)
  }

  @Test func `the shape of a plan that was not submitted has no number and no times`() throws {
    var shape = Self.job
    shape.id = JobID(0)
    let json = try Self.json(shape)
    #expect(json["id"] == nil)
    #expect(json["submittedAt"] == JSONValue.null)
    let read = try JSONDecoder().decode(JobSnapshot.self, from: try JSONEncoder().encode(shape))
    #expect(read.submittedAt == Timestamp(milliseconds: 0))
  }

  @Test func `a job reads back as it was written, unknown fields notwithstanding`() throws {
    var job = Self.job
    job.abort = AbortRecord(
      requestedAt: Timestamp(milliseconds: 5), requestedBy: job.requestedBy,
      disposition: .accepted(stopsAfter: "alpha", etaSeconds: 3))
    job.error = InstallationError(.packageFailed, "it failed", update: "beta")
    job.repairs = [.finishConfiguration, .reinstall("alpha")]
    var data = try JSONEncoder().encode(job)
    data = Data("{\"fromTheFuture\":[1],".utf8) + data.dropFirst()
    #expect(try JSONDecoder().decode(JobSnapshot.self, from: data) == job)
  }

  static let payloads: [JobEvent.Payload] = [
    .submitted(job.withoutPlan),
    .state(JobStateChange(.downloading, abortPreview: .accepted(stopsAfter: nil))),
    .update(index: 1, status: job.updates[0]),
    .abortRequested(
      AbortRecord(
        requestedAt: Timestamp(milliseconds: 1), requestedBy: job.requestedBy,
        disposition: .refused(reason: .finalStep("beta")))),
    .abortWithdrawn(by: job.requestedBy),
    .log(offset: 7, text: "\u{1B}[31mhostile\n"),
    .cleanedUp(by: job.requestedBy),
    .engine(EngineNotice(.started, "started")),
  ]

  @Test(arguments: payloads)
  func `an event is one flat object and reads back`(payload: JobEvent.Payload) throws {
    let event = JobEvent(
      seq: 831, at: Timestamp(milliseconds: 1000), job: JobID(12), payload: payload)
    let written = try Self.json(event)
    #expect(written["seq"] == 831 && written["job"] == 12)
    #expect(written["at"] == "1970-01-01T00:00:01.000Z")
    #expect(written["type"] == .string(payload.type))
    #expect(try JSONDecoder().decode(JobEvent.self, from: JSONEncoder().encode(event)) == event)
  }

  @Test func `an abort is told in the contract's words`() throws {
    let record = AbortRecord(
      requestedAt: Timestamp(milliseconds: 0), requestedBy: Requester(uid: 7, user: "ops"),
      disposition: .accepted(stopsAfter: "libfoo", etaSeconds: 3))
    let written = try Self.json(record)
    #expect(written["acknowledgedAt"] == nil)
    var answered = record
    answered.acknowledgedAt = Timestamp(milliseconds: 1000)
    let text = try JSONEncoder().encode(answered)
    #expect(try JSONDecoder().decode(AbortRecord.self, from: text) == answered)
    #expect(try Self.json(answered)["acknowledgedAt"] == "1970-01-01T00:00:01.000Z")
    // What an engine wrote that did not tell it yet.
    let older = try JSONEncoder().encode(record)
    #expect(try JSONDecoder().decode(AbortRecord.self, from: older) == record)
    #expect(written["disposition"] == "accepted" && written["stopsAfter"] == "libfoo")
    #expect(written["etaSeconds"] == 3 && written["requestedAt"] == "1970-01-01T00:00:00.000Z")
  }
}
