import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `The history of a long day` {
  /// A job that ends and is cleaned up while somebody looks; the higher the number, the later.
  static func pass(_ id: Int, in state: inout MonitorState) {
    let job = Scene.job(id, [Scene.planned("tool\(id)")])
    let done = Scene.ended(job, .succeeded, percent: 100, results: [.succeeded])
    let events: [JobEvent.Payload] = [
      .submitted(job), .completed(Keys.outcome(.succeeded, 100, done.updates)),
      .cleanedUp(by: Scene.ops),
    ]
    for event in events { _ = state.update(Scene.event(id, event, at: Double(id))) }
  }

  /// A page of the engine's: so many jobs before a number.
  static func page(_ count: Int, before id: Int) -> [JobSnapshot] {
    (id - count..<id).reversed().map { number in
      var job = PastJobsTests.past(number)
      job.endedAt = Scene.at(Double(number))
      return job
    }
  }

  /// A monitor on the queue after so many jobs have passed; nothing else is in the list.
  static func monitor(after count: Int) -> MonitorState {
    var state = Scene.monitor([])
    for id in 1...count { pass(id, in: &state) }
    return state
  }

  static func title(_ state: MonitorState) -> String { PastJobsTests.title(state) }

  typealias PastJobsTests = `The history from before the connection`

  @Test func `keeps the newest thousand and counts them all`() {
    var state = Self.monitor(after: 1500)
    #expect(state.book.count == PastJobs.kept)
    #expect(state.book.history.count == PastJobs.kept)
    #expect(state.book[JobID(501)] != nil)
    #expect(state.book[JobID(500)] == nil)
    Scene.press([.character("4")], in: &state)
    #expect(Self.title(state).contains("history  1500+ ended jobs: 1500 ok"))
  }

  @Test func `has every job for whoever goes back far enough`() {
    var state = Self.monitor(after: 1500)
    #expect(
      Scene.press([.character("4")], in: &state).contains(.fetchHistory(after: nil)))
    // What is known is passed over; the first page was for the look, the others are for the hand.
    var intents = state.update(.past(Self.page(200, before: 1501), isWhole: false))
    #expect(intents.allSatisfy { !$0.isHistory }, "nobody has gone there yet")
    intents = Scene.press([.end], in: &state)
    for first in stride(from: 1301, to: 501, by: -200) {
      #expect(intents.contains(.fetchHistory(after: JobID(first))))
      intents = state.update(.past(Self.page(200, before: first), isWhole: false))
    }
    #expect(intents.contains(.fetchHistory(after: JobID(501))), "nothing of the pages was new")
    intents = state.update(.past(Self.page(200, before: 501), isWhole: false))
    #expect(intents.allSatisfy { !$0.isHistory }, "there are rows to look at")
    #expect(state.book.history.count == 1200)
    for first in [301, 101] {
      #expect(Scene.press([.end], in: &state).contains(.fetchHistory(after: JobID(first))))
      let count = min(200, first - 1)
      _ = state.update(.past(Self.page(count, before: first), isWhole: count < 200))
    }
    Scene.press([.end], in: &state)
    #expect(state.cursor.selected == JobID(1))
    #expect(Self.title(state).contains("history  1500 ended jobs: 1500 ok"), "none twice")
  }

  @Test func `forgets again when it is left, and goes on where it ends`() {
    var state = Self.monitor(after: 10)
    Scene.press([.character("4"), .end], in: &state)
    _ = state.update(.past(Self.page(10, before: 11), isWhole: true))
    for id in 11...1100 { Self.pass(id, in: &state) }
    for _ in 1...2 {
      #expect(state.book.count == PastJobs.kept + 1, "the newest, and the one selected")
      let intents = Scene.press([.character("4"), .end], in: &state)
      #expect(intents.filter(\.isHistory) == [.fetchHistory(after: JobID(101))])
      _ = state.update(.past(Self.page(100, before: 101), isWhole: true))
      #expect(state.book.history.count == 1100)
      #expect(Self.title(state).contains("history  1100 ended jobs: 1100 ok"))
      Scene.press([.character("1")], in: &state)
    }
  }

  @Test func `stays bounded while it is looked at, and keeps what is selected`() {
    var state = Self.monitor(after: 5)
    Scene.press([.character("4")], in: &state)
    _ = state.update(.past(Self.page(5, before: 6), isWhole: true))
    Scene.press([.end], in: &state)
    #expect(state.cursor.selected == JobID(1))
    for id in 6...3000 { Self.pass(id, in: &state) }
    #expect(state.book.count <= PastJobs.kept + PastJobs.slack + 1)
    #expect(state.cursor.selected == JobID(1))
    #expect(state.book[JobID(1)] != nil)
    #expect(state.book[JobID(2)] == nil)
  }

  @Test func `is not listed with a gap when jobs pass between question and answer`() {
    var state = Self.monitor(after: 5)
    Scene.press([.character("4")], in: &state)
    _ = state.update(.past(Self.page(5, before: 6), isWhole: true))
    for id in 6...1500 { Self.pass(id, in: &state) }
    let asked = Scene.press([.end], in: &state).first { $0.isHistory }
    for id in 1501...2000 { Self.pass(id, in: &state) }
    guard case .fetchHistory(let after?) = asked else {
      Issue.record("nothing was asked for")
      return
    }
    let rows = state.book.history.count
    let again = state.update(.past(Self.page(50, before: after.rawValue), isWhole: false))
    #expect(state.book.history.count == rows, "the page would not join what is known")
    let edge = (1...2000).reversed().prefix { state.book[JobID($0)] != nil }.last
    #expect(again.contains(.fetchHistory(after: edge.map { JobID($0) })), "it is asked for anew")
  }

  @Test func `is looked through further back when nothing at hand is found`() {
    var state = Self.monitor(after: 1200)
    Scene.press([.character("4")], in: &state)
    _ = state.update(.past(Self.page(200, before: 1201), isWhole: false))
    let intents = Scene.press(
      [.character("/")] + "tool7".map { Key.character($0) } + [.enter], in: &state)
    #expect(intents.allSatisfy { !$0.isHistory }, "tool700 is at hand")
    let further = Scene.press(
      [.character("/")] + "old150".map { Key.character($0) } + [.enter], in: &state)
    #expect(further.contains(.fetchHistory(after: JobID(1001))))
    #expect(state.message?.text.contains("more of the history is fetched") == true)
  }

  @Test func `tells a number that is too far back from one that no job has`() {
    var state = Self.monitor(after: 1001)
    func said(_ command: String) -> String? {
      Scene.press(
        [.character(":")] + command.map { Key.character($0) } + [.enter], in: &state)
      return state.message?.text
    }
    #expect(said("job 1")?.contains("further back in the history") == true)
    #expect(said("job 5000") == "no job has the number 5000")
  }

  @Test func `begins to count anew on a new connection`() {
    var state = Self.monitor(after: 1500)
    _ = state.update(.link(.lost(retryIn: 1)))
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot([]))
    _ = state.update(.snapshotEnd(seq: 9000))
    #expect(state.book.count == 0)
    Scene.press([.character("4")], in: &state)
    _ = state.update(.past(Self.page(200, before: 1501), isWhole: false))
    #expect(Self.title(state).contains("history  200+ ended jobs: 200 ok"))
  }
}

extension Intent {
  fileprivate var isHistory: Bool { if case .fetchHistory = self { true } else { false } }
}
