import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct Returns {
  static func connect(_ state: inout MonitorState, _ jobs: [JobSnapshot]) {
    _ = state.update(.link(.lost(retryIn: 1)))
    for event in [MonitorEvent.snapshotBegin, .snapshot(jobs), .snapshotEnd(seq: 60)] {
      _ = state.update(event)
    }
  }

  /// Jobs whose rows are underlined from one edge to the other.
  static func underlined(_ state: MonitorState, _ look: DrawStyle = Golden.looks[3].look) -> [Int] {
    let canvas = state.render(state.size, look)
    let columns = state.size.columns
    return stride(from: 0, to: canvas.cells.count, by: columns).compactMap { start in
      let row = canvas.cells[start..<start + columns]
      guard row.allSatisfy({ $0.style.attributes.contains(.underline) }) else { return nil }
      return Int(String(row.dropFirst(3).prefix(5).map { Character($0.base) }.filter(\.isNumber)))
    }
  }

  static let changed: [JobSnapshot] =
    Scene.queue.compactMap { job in
      var job = job
      switch job.id.rawValue {
      case 1042: job.percentComplete = 75
      case 1043: job.percentComplete += 0.4
      case 1050:
        job = Scene.ended(job, .succeeded, percent: 100, results: [.succeeded])
      case 1035: return nil
      default: break
      }
      return job
    } + [Scene.job(1060, [Scene.planned("jq")])]

  @Test(arguments: Golden.looks.indices)
  func `what became otherwise while the engine was away is underlined for 2 s`(_ look: Int) {
    let look = Golden.looks[look].look
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(300)))
    #expect(Self.underlined(state, look).isEmpty)
    Self.connect(&state, Self.changed)
    #expect(Set(Self.underlined(state, look)) == [1042, 1050, 1060])
    let text = state.render(state.size, look).text
    #expect(state.nextMoment == Scene.at(302))
    _ = state.update(.clock(Scene.at(301.9)))
    #expect(Self.underlined(state, look).count == 3)
    _ = state.update(.clock(Scene.at(302)))
    #expect(Self.underlined(state, look).isEmpty)
    #expect(state.nextMoment != Scene.at(302))
    #expect(state.render(state.size, look).text == text)
  }

  @Test
  func `a return that changes nothing, and the first look, underline nothing and wake nobody`() {
    let jobs = Scene.queue.filter { $0.state.isFinal }
    var state = MonitorState(size: Size(columns: 80, rows: 24))
    _ = state.update(.clock(Scene.at(300)))
    for _ in 0..<2 {
      Self.connect(&state, jobs)
      #expect(Self.underlined(state).isEmpty && state.nextMoment == nil)
    }
  }

  @Test func `jobs that came while an engine without jobs was away are new`() {
    var state = Scene.monitor([])
    _ = state.update(.clock(Scene.at(300)))
    Self.connect(&state, [Scene.job(1, [Scene.planned("jq")])])
    #expect(Self.underlined(state) == [1])
  }

  @Test func `the selected row and the history are underlined too, a held display is not`() {
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(300)))
    while state.selected != JobID(1050) { Scene.press([.down], in: &state) }
    Self.connect(&state, Self.changed)
    #expect(Self.underlined(state).contains(1050))
    Scene.press([.character("4")], in: &state)
    #expect(Self.underlined(state) == [1050])
    Scene.press([.character("z")], in: &state)
    #expect(Self.underlined(state).isEmpty)
  }
}
