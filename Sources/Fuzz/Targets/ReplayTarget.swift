import Canvas
import FoundationEssentials
import InstallJobs
import JobScreen

/// Recordings as an engine may tell them, one event a line, in the whole monitor.
struct ReplayTarget: FuzzTarget {
  static let name = "replay"

  var seeds: [[UInt8]] {
    let lines = SampleJobs.events.compactMap { try? JSONEncoder().encode($0) }
    return [
      Array(lines.joined(separator: [0x0A])), Array(lines.reversed().joined(separator: [0x0A])),
    ]
  }
  var tokens: [String] {
    [
      "\n", "\"job\":1", "\"seq\":1", "\"index\":9223372036854775807", "\"type\":\"update\"",
      "\"type\":\"completed\"", "\"at\":\"0000-01-01T00:00:00.000Z\"", "9999-12-31T23:59:59.999Z",
      "\"standing\":{\"percentComplete\":1e300,\"logLength\":9223372036854775807}", "-1", "{", "}",
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
