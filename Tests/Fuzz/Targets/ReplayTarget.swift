import Canvas
import FoundationEssentials
import InstallJobs
import Monitor

/// Recordings as an engine may tell them, one event a line, in the whole monitor.
struct ReplayTarget: FuzzTarget {
  static let name = "replay"

  var seeds: [[UInt8]] {
    [
      SampleJobs.events, SampleJobs.events.reversed(), Self.numbered(SampleJobs.events.reversed()),
      Self.numbered(Self.enormous),
    ].map { events in
      Array(events.compactMap { JSON.written($0) }.joined(separator: [0x0A]))
    }
  }

  /// A download of which every package says that all the bytes there can be have come.
  private static let enormous: [JobEvent] = {
    let (job, at) = (SampleJobs.snapshots[2], SampleJobs.events[0].at)
    let updates = (job.plan ?? []).indices.map { index in
      var status = UpdateStatus(SampleJobs.plan.steps[index])
      (status.phase, status.downloadedBytes) = (.downloading, .max)
      return JobEvent.Payload.update(index: index, status: status)
    }
    let begin = JobStateChange(.downloading, abortPreview: .accepted(stopsAfter: nil))
    return ([.submitted(job.withoutPlan), .state(begin)] + updates).map {
      JobEvent(seq: 0, at: at, job: job.id, payload: $0)
    }
  }()

  /// The events as they would follow each other.
  private static func numbered(_ events: [JobEvent]) -> [JobEvent] {
    events.enumerated().map { number, event in
      var event = event
      event.seq = number + 1
      return event
    }
  }

  var tokens: [String] {
    [
      "\n", "\"job\":1", "\"seq\":1", "\"index\":9223372036854775807", "\"type\":\"update\"",
      "\"type\":\"completed\"", "\"at\":\"0000-01-01T00:00:00.000Z\"", "9999-12-31T23:59:59.999Z",
      "\"standing\":{\"percentComplete\":1e300,\"logLength\":9223372036854775807}", "-1", "{", "}",
      "\"downloadedBytes\":9223372036854775807", "\"state\":\"downloading\"",
    ]
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let job = SampleJobs.snapshots[2]
    let lines = input.split(separator: 0x0A).prefix(200)
    let events = lines.compactMap { try? JSONDecoder().decode(JobEvent.self, from: Data($0)) }
    let request = RecordingRequest(job.id, number: 1)
    var state = MonitorState(size: Size(columns: 80, rows: 24))
    for event in [
      .clock(job.submittedAt), .snapshotBegin, .snapshot([job]), .snapshotEnd(seq: 1),
      .replay(.wanted(job.id, speed: 64)), .replay(.begin(request, job, logLength: .max)),
      .replay(.events(request, events)), .replay(.end(request)),
    ] as [MonitorEvent] { _ = state.update(event) }
    let hasEvents = events.contains { $0.job == job.id && $0.payload.isDurable }
    try hold(
      (state.replayed == job.id) == hasEvents, "what is recorded is not shown, or nothing is")
    let keys: [Key] = [
      .home, .right, .character("]"), .character("]"), .character("["), .left, .end,
      .character(" "), .character("3"), .character("5"), .character("2"),
    ]
    for key in keys {
      for case .fetchRecordedLog(let id, let from) in state.update(.key(key)) {
        _ = state.update(.replay(.log(id, asked: from, offset: from, text: "\u{E9}\n")))
      }
      _ = state.update(.clock(job.submittedAt.advanced(bySeconds: 1)))
    }
    try hold((state.replayed == job.id) == hasEvents, "a key of a replay has left it")
  }
}
