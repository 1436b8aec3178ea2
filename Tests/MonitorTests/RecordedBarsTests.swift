import AptProvider
import Canvas
import FoundationEssentials
import InstallJobs
import JobEngine
import PackageProvider
import Support
import Testing

@testable import JobText
@testable import Monitor

/// Runs of real apt and dpkg, from dpkg's lines to the cells of the bars.
@Suite struct `Bars of recorded runs` {
  /// What one package's row showed, line for line.
  private struct Seen {
    var cells: [Int] = []
    var gauges: Set<String> = []
  }

  private static func recorded(_ name: String) throws -> (RecordedJob, [Substring]) {
    let folder =
      #filePath.split(separator: "/").dropLast(2).reduce("") { $0 + "/" + $1 }
      + "/AptProviderTests/Follow/Streams/\(name)/"
    func text(_ entry: JobFolder.Entry) throws -> String {
      guard let text = TestFolder.text(of: folder + entry.rawValue) else {
        throw FixtureError("no \(entry.rawValue) of \(name)")
      }
      return text
    }
    let job = try JSONDecoder().decode(RecordedJob.self, from: Data(try text(.plan).utf8))
    return (job, try text(.dpkgStatus).split(separator: "\n"))
  }

  /// Plays a run, every archive of which arrives in quarters before dpkg begins, and looks at the
  /// job's screen after each report.
  private static func play(_ name: String) throws -> (MonitorState, [String: Seen], [Double]) {
    let (job, lines) = try recorded(name)
    let id = JobID(1)
    let snapshot = JobSnapshot(
      id: id, request: job.request, plan: job.plan,
      requestedBy: Requester(uid: 0, user: "root"), provider: "apt", submittedAt: Scene.at(0))
    var machine = JobMachine(snapshot, plan: job.plan)
    var state = MonitorState(size: Size(columns: 120, rows: 40))
    _ = state.update(.link(.live))
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot([snapshot]))
    _ = state.update(.snapshotEnd(seq: 0))
    _ = state.update(.plan(id, snapshot.plan ?? []))
    Scene.press([.enter], in: &state)
    var seen: [String: Seen] = [:]
    var percents: [Double] = []
    var seq = 0
    func feed(_ input: JobMachine.Input) throws {
      seq += 1
      let time = Scene.at(Double(seq))
      for action in try machine.handle(input, at: time) {
        switch action {
        case .record(let payload), .publish(let payload):
          _ = state.update(.event(JobEvent(seq: seq, at: time, job: id, payload: payload)))
        default: continue
        }
        look(at: state, id, &seen, &percents)
      }
    }
    try feed(.begin)
    try feed(.started)
    for (index, step) in job.plan.steps.enumerated() where step.downloadSize > 0 {
      try feed(.reports([.stage(.downloading)]))
      for quarter in 1...4 {
        let bytes = step.downloadSize * Int64(quarter) / 4
        try feed(.reports([.downloaded(step: index, bytes: bytes)]))
      }
    }
    try feed(.reports([.stage(.installing)]))
    var interpreter = DpkgInterpreter(plan: job.plan, native: "amd64")
    for line in lines { try feed(.reports(interpreter.reports(for: line))) }
    return (state, seen, percents)
  }

  private static func look(
    at state: MonitorState, _ id: JobID, _ seen: inout [String: Seen], _ percents: inout [Double]
  ) {
    guard let job = state.book[id]?.job, let plan = job.plan else { return }
    percents.append(job.percentComplete)
    let rows = state.render(state.size, Golden.looks[0].look).text.split(separator: "\n")
    for status in plan {
      guard let row = rows.first(where: { $0.dropFirst(3).hasPrefix(" \(status.name) ") }) else {
        continue
      }
      let word =
        switch UpdateGauge(status) {
        case .none: "none"
        case .measured: "measured"
        case .stepped: "stepped"
        case .unknown: "unknown"
        case .over: "over"
        }
      let filled = row.filter { "█▏▎▍▌▋▊▉".contains($0) }.count
      seen[status.name, default: Seen()].gauges.insert(word)
      if word != "unknown" { seen[status.name]?.cells.append(filled) }
    }
  }

  @Test(arguments: [
    "aborted", "awaited-trigger", "chain", "dependencies", "failing-postinst", "failing-preinst",
    "failing-prerm", "file-conflict", "purge", "removal", "trigger", "two-architectures", "upgrade",
  ])
  func `C4, C5: no bar of a real run goes back, and none is full before the database was asked`(
    name: String
  ) throws {
    let (_, seen, percents) = try Self.play(name)
    #expect(!seen.isEmpty)
    for (package, seen) in seen {
      #expect(seen.cells == seen.cells.sorted(), "\(package)")
    }
    #expect(percents == percents.sorted())
    #expect(percents.allSatisfy { $0 < 100 })
  }

  @Test(arguments: [
    ("upgrade", "alpha", ["measured", "stepped"]), ("chain", "p1", ["measured", "stepped"]),
    ("removal", "conf", ["unknown"]), ("purge", "delta", ["unknown"]),
    ("awaited-trigger", "poker", ["measured", "stepped", "unknown"]),
  ])
  func `each stretch of a real run has the kind of bar that its figures allow`(
    name: String, package: String, kinds: [String]
  ) throws {
    let (_, seen, _) = try Self.play(name)
    let gauges = try #require(seen[package]).gauges
    #expect(gauges.isSuperset(of: kinds), "\(gauges)")
    #expect(gauges.isSubset(of: kinds + ["none", "over"]), "\(gauges)")
  }
}
