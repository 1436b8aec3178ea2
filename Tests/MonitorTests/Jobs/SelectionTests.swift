import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `The selection when its job ends` {
  /// Three jobs at work, thirty that wait, thirty that are over.
  private static func monitor() -> MonitorState {
    let working = (1...3).map { id in
      Scene.running(Scene.job(id, [Scene.planned("w\(id)")]), .installing, percent: 40)
    }
    let waiting = (11...40).map { Scene.job($0, [Scene.planned("q\($0)")]) }
    let over = (51...80).map { id in
      Scene.ended(
        Scene.job(id, [Scene.planned("o\(id)")]), .succeeded, percent: 100, results: [.succeeded],
        took: Double(id))
    }
    var state = Scene.monitor(working + waiting + over)
    _ = state.update(.clock(Scene.at(500)))
    return state
  }

  private static func finish(_ id: Int, in state: inout MonitorState, at second: Double) {
    let updates = state.book[JobID(id)]?.job.updates ?? []
    _ = state.update(
      Scene.event(id, .completed(Keys.outcome(.succeeded, 100, updates)), at: second))
  }

  private static func isSeen(_ id: Int, _ state: MonitorState) -> Bool {
    state.render(state.size, Golden.looks[0].look).text.split(separator: "\n").contains {
      $0.hasPrefix(">") && $0.contains(" \(id) ")
    }
  }

  @Test func `goes on with the work only where it follows it`() {
    var state = Self.monitor()
    #expect(state.selected == JobID(1))
    Self.finish(1, in: &state, at: 501)
    #expect(state.selected == JobID(2))
    Scene.press([.character("f")], in: &state)
    Self.finish(2, in: &state, at: 502)
    _ = state.update(.clock(Scene.at(503)))
    #expect(state.selected == JobID(2) && Self.isSeen(2, state))
  }

  @Test func `stays with the job, in sight, and with its neighbours when it is cleaned up`()
    throws
  {
    var state = Self.monitor()
    Scene.press([.down], in: &state)
    Self.finish(2, in: &state, at: 501)
    // Rows move again when nobody has moved the selection for a while.
    _ = state.update(.clock(Scene.at(510)))
    #expect(state.selected == JobID(2) && Self.isSeen(2, state))
    let place = try #require(state.book.index(of: JobID(2), in: .queue))
    #expect(place > 30)
    let neighbour = state.book.list(.queue)[place + 1]
    _ = state.update(Scene.event(2, .cleanedUp(by: Scene.ops), at: 511))
    #expect(state.selected == neighbour && Self.isSeen(neighbour.rawValue, state))
  }

  @Test func `goes to the neighbour and not to the work when one cleans up where it is followed`() {
    var state = Self.monitor()
    #expect(state.followed == JobID(1))
    // All at work end; what is selected then is cleaned up by its key.
    for id in 1...3 { Self.finish(id, in: &state, at: 500 + Double(id)) }
    let here = state.selected
    Scene.press([.character("G"), .up, .up], in: &state)
    let selected = state.selected
    #expect(selected != here)
    let place = selected.flatMap { state.book.index(of: $0, in: .queue) } ?? 0
    let neighbour = state.book.list(.queue)[place + 1]
    Scene.press([.character("c")], in: &state)
    _ = state.update(Scene.event(selected?.rawValue ?? 0, .cleanedUp(by: Scene.ops), at: 511))
    #expect(state.selected == neighbour)
  }
}

@Suite struct `What is counted together` {
  private static func line(_ state: MonitorState) -> String {
    String(
      state.render(state.size, Golden.looks[0].look).text.split(
        separator: "\n", omittingEmptySubsequences: false)[1])
  }

  @Test func `never becomes less by a clean-up, here or while the engine is away`() {
    var state = Scene.monitor(size: Size(columns: 120, rows: 24))
    let before = state.book.overall.fraction
    for id in [1037, 1036] { _ = state.update(Scene.event(id, .cleanedUp(by: Scene.ops))) }
    #expect(state.book.overall.fraction >= before)
    #expect(Self.line(state).contains("5 of 14 jobs over, 1 failed, 1 interrupted, 2 cleaned up"))
    let left = Scene.queue.filter { ![1035, 1036, 1037].contains($0.id.rawValue) }
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot(left))
    _ = state.update(.snapshotEnd(seq: 50))
    #expect(state.book.overall.fraction >= before)
    #expect(Self.line(state).contains("5 of 14 jobs over"))
  }

  @Test func `begins anew with work that is submitted when all is over`() {
    let over = Scene.queue.filter(\.state.isFinal)
    var state = Scene.monitor(over)
    _ = state.update(Scene.event(1037, .cleanedUp(by: Scene.ops)))
    #expect(Self.line(state).contains("5 of 5 jobs over"))
    _ = state.update(Scene.event(2000, .submitted(Scene.job(2000, [Scene.planned("jq")]))))
    #expect(Self.line(state).contains("4 of 5 jobs over"))
  }

  @Test func `its bar keeps its length whatever the digits of the rate`() {
    func bar(_ rate: Double) -> Int {
      var job = Scene.nginx
      job.bytesPerSecond = rate
      let state = Scene.monitor([job, Scene.job(1051, [Scene.planned("jq")])])
      return Self.line(state).count { "█▌░─▏▎▍▋▊▉".contains($0) }
    }
    let lengths = [0, 900, 4_300_000, 43_000_000, 430_000_000].map(bar)
    #expect(Set(lengths).count == 1 && lengths[0] > 8, "\(lengths)")
  }
}
