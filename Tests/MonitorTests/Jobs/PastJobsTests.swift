import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `The history from before the connection` {
  /// A job that was cleaned up before anybody looked; the higher the number, the later it ended.
  static func past(_ id: Int) -> JobSnapshot {
    var job = Scene.ended(
      Scene.job(id, [Scene.planned("old\(id)")]), .succeeded, percent: 100, results: [.succeeded])
    job.endedAt = Scene.at(Double(id) - 5000)
    job.isCleanedUp = true
    return job
  }

  static func title(_ state: MonitorState) -> String {
    let text = state.render(state.size, Golden.looks[0].look).text
    return String(text.split(separator: "\n")[0])
  }

  @Test func `is asked for when the history is first looked at, and only then`() {
    var state = Scene.monitor()
    #expect(!Scene.press([.down], in: &state).contains(.fetchHistory(after: nil)))
    #expect(Scene.press([.character("4")], in: &state).contains(.fetchHistory(after: nil)))
    let (queue, tally) = (state.book.queue.count, state.book.tally)
    _ = state.update(.past([Self.past(30), Self.past(29)], isWhole: true))
    #expect(state.book.history.count == 7)
    #expect(state.book.queue.count == queue, "cleaned-up jobs are in no queue")
    #expect(state.book.tally == tally)
    #expect(Self.title(state).contains("history  7 ended jobs"))
    #expect(
      Scene.press([.character("1"), .character("4"), .end], in: &state)
        .allSatisfy { $0 != .fetchHistory(after: nil) && $0 != .fetchHistory(after: JobID(29)) })
  }

  @Test func `comes page by page as the selection nears the end`() {
    var state = Scene.monitor()
    Scene.press([.character("4")], in: &state)
    let page = (801...1000).reversed().map(Self.past)
    #expect(!state.update(.past(page, isWhole: false)).contains(.fetchHistory(after: JobID(801))))
    #expect(Self.title(state).contains("history  205+ ended jobs"))
    #expect(!Scene.press([.down], in: &state).contains(.fetchHistory(after: JobID(801))))
    #expect(Scene.press([.end], in: &state).contains(.fetchHistory(after: JobID(801))))
    #expect(!Scene.press([.up], in: &state).contains(.fetchHistory(after: JobID(801))), "once")
    _ = state.update(.past([Self.past(800)], isWhole: true))
    #expect(Self.title(state).contains("history  206 ended jobs"))
  }

  @Test func `leaves alone what the engine tells of, and is asked for anew on a new connection`() {
    var state = Scene.monitor()
    Scene.press([.character("4")], in: &state)
    var changed = Self.past(1037)
    changed.requestedBy.user = "nobody"
    var open = Self.past(31)
    open.isCleanedUp = false
    _ = state.update(.past([changed, open], isWhole: true))
    #expect(state.book[JobID(1037)]?.job.requestedBy.user == "cron")
    #expect(state.book[JobID(31)] == nil, "what is not cleaned up comes with the queue")
    _ = state.update(.link(.lost(retryIn: 1)))
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot(Scene.queue))
    #expect(state.update(.snapshotEnd(seq: 90)).contains(.fetchHistory(after: nil)))
  }
}
