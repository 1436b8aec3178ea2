import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `The replay of a job` {
  static func rows(_ state: MonitorState) -> [String] {
    let text = state.render(state.size, Golden.looks[0].look).text
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  static func second(_ state: MonitorState) -> Double? { state.replay?.elapsed }

  @Test func `is asked for by a key or a command, and opened where the work began`() throws {
    let scene = RecordedScene.life()
    var state = Scene.monitor([scene.job], size: Size(columns: 80, rows: 24))
    #expect(Scene.press([.character("v")], in: &state) == [.fetchRecording(scene.request())])
    let request = scene.request(2)
    #expect(Commands.run("replay 12", in: &state) == [.fetchRecording(request)])
    _ = state.update(.replay(.begin(request, scene.job, logLength: 60)))
    _ = state.update(.replay(.events(request, Array(scene.events.prefix(5)))))
    #expect(state.message?.text == "reading the recording of job 12: 5 events")
    _ = state.update(.replay(.events(request, Array(scene.events.dropFirst(5)))))
    let intents = state.update(.replay(.end(request)))
    #expect(intents.isEmpty, "nothing was logged by then")
    #expect(Self.second(state) == 30 && state.replay?.isPlaying == true)
    #expect(Self.rows(state)[0].hasPrefix(" REPLAY of job 12 · 12:00:30 · +30s of 1m31s"))
    #expect(Self.rows(state)[21].hasPrefix(" bars between two stages were not recorded"))
    RecordedScene.press([.right, .character("3"), .character("2")], in: &state)
    #expect(Self.rows(state)[21].hasPrefix(" bars between two stages were not recorded"))
  }

  @Test func `before the first figure that was noted does not call it nothing`() {
    let scene = RecordedScene.life()
    var state = Scene.monitor([scene.job], size: Size(columns: 80, rows: 24))
    Scene.press([.character("v")], in: &state)
    var events = scene.events
    events[0].progressMark = nil
    let request = scene.request()
    _ = state.update(.replay(.begin(request, scene.job, logLength: 60)))
    _ = state.update(.replay(.events(request, events)))
    _ = state.update(.replay(.end(request)))
    #expect(Self.rows(state)[2].contains("0%"))
    RecordedScene.press([.home], in: &state)
    #expect(Self.rows(state)[2].contains("queued  –"))
    #expect(!Self.rows(state)[2].contains("0%"))
  }

  @Test func `goes on with the time here at its speed, and rests at the end`() throws {
    let scene = RecordedScene.life()
    var state = scene.monitor()
    #expect(state.nextMoment == nil, "at rest nothing wakes the monitor")
    RecordedScene.press([.character(" ")], in: &state)
    #expect(state.nextMoment == Scene.at(1001))
    _ = state.update(.clock(Scene.at(1004)))
    #expect(Self.second(state) == 34)
    RecordedScene.press(Array(repeating: .character("+"), count: 3), in: &state)
    #expect(state.replay?.speed == 8)
    _ = state.update(.clock(Scene.at(1005)))
    #expect(Self.second(state) == 42)
    #expect(Self.rows(state)[0].contains("· playing 8x"))
    #expect(try #require(state.nextMoment) >= Scene.at(1005.1), "ten moments a second at most")
    RecordedScene.press([.character("-")], in: &state)
    _ = state.update(.clock(Scene.at(1006)))
    #expect(Self.second(state) == 46)
    _ = state.update(.clock(Scene.at(1106)))
    #expect(Self.second(state) == 91 && state.replay?.isPlaying == false)
    #expect(Self.rows(state)[0].contains("· end 4x"))
    #expect(state.nextMoment == nil)
    RecordedScene.press([.character(" ")], in: &state)
    #expect(Self.second(state) == 30 && state.replay?.isPlaying == true, "from the work on again")
    RecordedScene.press(Array(repeating: .character("+"), count: 9), in: &state)
    #expect(state.replay?.speed == 64)
    RecordedScene.press(Array(repeating: .character("-"), count: 9), in: &state)
    #expect(state.replay?.speed == 1)
  }

  @Test func `goes by seconds, to what happened, to begin and end`() {
    var state = RecordedScene.life().monitor()
    RecordedScene.press([.right, .right, .left], in: &state)
    #expect(Self.second(state) == 31)
    RecordedScene.press([.character("]")], in: &state)
    #expect(Self.second(state) == 51)
    #expect(Self.rows(state).contains { $0.hasPrefix("> ") && $0.contains("p1") })
    RecordedScene.press([.character("[")], in: &state)
    #expect(Self.second(state) == 31)
    RecordedScene.press([.home, .left], in: &state)
    #expect(Self.second(state) == 0)
    #expect(Self.rows(state)[2].contains("queued "), "its place in the queue was not recorded")
    RecordedScene.press([.end, .right], in: &state)
    #expect(Self.second(state) == 91)
  }

  @Test func `shows the log as it was read then`() {
    var state = RecordedScene.life().monitor(Size(columns: 80, rows: 40))
    func lines() -> [String] { Self.rows(state).filter { $0.hasPrefix(" line ") } }
    #expect(lines().isEmpty)
    RecordedScene.press([.character("]"), .character("]")], in: &state)
    #expect(lines() == [" line 00..", " line 01.."])
    #expect(Self.rows(state).contains { $0.hasPrefix("── log, as read at 12:00:50 ") })
    RecordedScene.press([.left], in: &state)
    #expect(lines() == [" line 00..", " line 01.."], "the second of the end of p0")
    RecordedScene.press([.left], in: &state)
    #expect(lines() == [" line 00.."])
    RecordedScene.press([.end], in: &state)
    #expect(lines().count == 6)
  }

  @Test func `of an archive that was being fetched says since when, not how much had come`() {
    var scene = RecordedScene(Scene.job(12, [Scene.planned("p0", size: 6_200_000)]))
    scene.enter(.downloading)
    scene.second = 1
    scene.move(0, to: .downloading, percent: 0)
    scene.second = 9
    scene.reach(60, log: 0)
    scene.move(0, to: .downloaded, percent: 60)
    scene.enter(.installing)
    scene.end()
    var state = scene.monitor()
    RecordedScene.press(Array(repeating: .right, count: 5), in: &state)
    let row = Self.rows(state).dropFirst().first { $0.contains(" p0 ") } ?? ""
    #expect(row.contains("download ") && row.contains(" 4s ") && row.hasSuffix(" 6.2 MB"))
    #expect(!row.contains("0%") && !row.contains("0.0/"))
    RecordedScene.press([.end], in: &state)
    // Over, and never begun: what came of it is no share of the package.
    let end = Self.rows(state).dropFirst().first { $0.contains(" p0 ") } ?? ""
    #expect(!end.isEmpty && !end.contains("60%"), "\(end)")
  }

  @Test func `figures of archives that have no room are held at the largest one`() {
    var scene = RecordedScene(
      Scene.job(12, (0..<4).map { Scene.planned("p\($0)", size: .max / 3) }))
    scene.enter(.downloading)
    for step in 0..<4 {
      scene.second += 5
      scene.move(step, to: .downloaded, percent: 60)
    }
    scene.second += 5
    scene.enter(.installing)
    scene.end()
    var state = scene.monitor()
    RecordedScene.press(Array(repeating: .right, count: 21), in: &state)
    #expect(state.replay?.book[JobID(12)]?.job.downloadedBytes == .max)
  }

  @Test(arguments: Golden.sizes.dropLast(2))
  func `N17: its end is the screen of the ended job, cell for cell`(_ size: Size) {
    let scene = RecordedScene.life()
    var ended = Scene.monitor([scene.job] + Scene.queue, size: size)
    Scene.press([.character(":")] + Scene.typed("job 12") + [.enter], in: &ended)
    Scene.answer(&ended, [scene.job], log: RecordedScene.log())
    for keys in [[.end], [.character("]"), .home, .end], [.end, .character("["), .end]] as [[Key]] {
      for page in ["2", "3", "5"] as [Character] {
        var state = scene.monitor(size)
        RecordedScene.press(keys + [.character(page)], in: &state)
        Scene.press([.character(page)], in: &ended)
        let (replayed, live) = (
          state.render(size, Golden.looks[0].look), ended.render(size, Golden.looks[0].look)
        )
        let rows = 1..<size.rows - (size.rows >= 8 ? 2 : 1)
        for row in rows {
          for column in 0..<size.columns {
            let place = Point(column: column, row: row)
            #expect(replayed[place] == live[place], "page \(page), \(place)")
          }
        }
        #expect(Self.rows(state)[0].contains("REPLAY"))
        #expect(!Self.rows(ended)[0].contains("REPLAY"))
      }
    }
  }

  @Test(arguments: [
    Key.character("x"), .character("c"), .character("C"), .character("p"),
    .character("r"), .character("i"), .character("!"),
  ])
  func `changes nothing, and says why`(_ key: Key) {
    var state = RecordedScene.life().monitor()
    #expect(Scene.press([key], in: &state).isEmpty)
    #expect(state.message?.isAlert == true)
    #expect(
      state.message?.text.hasSuffix("a replay of job 12 changes nothing: Esc leaves it") == true)
    #expect(state.dialogue == nil && state.replay != nil && state.screen == .job(JobID(12)))
  }

  @Test(arguments: [
    "abort", "abort 1042", "withdraw 1044", "pause 1042", "resume 1049", "cleanup", "cleanup 1037",
    "cleanup --finished", "retry 1038", "install jq", "repair", "sort id", "filter state:failed",
    "tag-all",
  ])
  func `takes no command that changes jobs or lists`(_ line: String) {
    var state = RecordedScene.life().monitor()
    #expect(Commands.run(line, in: &state).isEmpty)
    #expect(state.message?.isAlert == true, "\(state.message?.text ?? "")")
    #expect(state.replay != nil && state.tags.isEmpty && state.book.filter.isEmpty)
  }

  @Test func `goes on hearing of live jobs, and tells them from what is shown`() {
    var state = RecordedScene.life().monitor()
    let before = Self.rows(state)
    _ = state.update(
      Scene.event(1042, .completed(Keys.outcome(.failed, 61, Scene.upgrade.updates)), at: 300))
    #expect(state.book[JobID(1042)]?.job.state == .completed)
    #expect(state.message?.text.hasPrefix("meanwhile: 1042 libc6 failed: ") == true)
    // A failure stays until a key was pressed that changes nothing here.
    RecordedScene.press([.character("]"), .character("[")], in: &state)
    _ = state.update(Scene.event(12, .cleanedUp(by: Scene.ops), at: 301))
    #expect(state.message?.text == "meanwhile: job 12 is cleaned up and in the history")
    // All but the message, what stands above the time, the function bar and the end of the text.
    #expect(Self.rows(state).dropLast(4) == before.dropLast(4), "the past stays")
    RecordedScene.press([.escape], in: &state)
    #expect(state.replay == nil && state.screen == .job(JobID(12)))
    #expect(state.book[JobID(12)]?.job.isCleanedUp == true)
  }

  @Test func `is left by Esc and q to where one was, and by every other screen`() {
    let scene = RecordedScene.life()
    for key in [Key.escape, .character("q")] {
      var state = scene.monitor()
      #expect(Scene.press([.character("3"), key], in: &state).isEmpty)
      #expect(state.replay == nil && state.screen == .job(JobID(12)))
      #expect(Self.rows(state)[0].contains("live"))
      #expect(Self.rows(state).contains { $0.contains("line 05..") }, "the live log is as it was")
    }
    for key in [Key.character("1"), .character("4")] {
      var state = scene.monitor()
      Scene.press([key], in: &state)
      #expect(state.replay == nil && state.screen.isList)
    }
    var state = scene.monitor()
    Scene.press([.tab], in: &state)
    #expect(state.screen == .log(JobID(12)))
    Scene.press([.tab, .tab], in: &state)
    #expect(state.replay != nil && state.screen == .job(JobID(12)), "its pages go round")
    #expect(Scene.press([.function(10)], in: &state) == [.quit])
  }

  @Test func `goes on without the engine, but for the log that is not at hand`() {
    let scene = RecordedScene.life()
    var state = scene.monitor()
    _ = state.update(.link(.lost(retryIn: 3)))
    RecordedScene.press([.character("]"), .character("]")], in: &state)
    #expect(Self.second(state) == 51)
    #expect(Self.rows(state)[0].contains("engine not heard"))
    #expect(!Self.rows(state).contains { $0.contains("46%?") }, "the past is not out of date")
    _ = state.update(.link(.live))
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot(Scene.queue))
    _ = state.update(.snapshotEnd(seq: 50))
    #expect(Self.second(state) == 51)
  }

  @Test func `is not opened of a job that is not over, nor over what was begun meanwhile`() {
    var state = Scene.monitor([Scene.upgrade])
    #expect(Scene.press([.character("v")], in: &state).isEmpty)
    #expect(state.message?.text.contains("job 1042 is not over") == true)
    let scene = RecordedScene.life()
    state = Scene.monitor([scene.job])
    Scene.press([.character("v"), .character("i")], in: &state)
    _ = state.update(.replay(.begin(scene.request(), scene.job, logLength: 0)))
    _ = state.update(.replay(.events(scene.request(), scene.events)))
    _ = state.update(.replay(.end(scene.request())))
    #expect(state.replay == nil && state.screen == .compose)
    #expect(state.message?.text.contains("is not opened") == true)
  }

  @Test func `asked for twice is the second one only, each event once`() throws {
    let scene = RecordedScene.life()
    var state = Scene.monitor([scene.job])
    Scene.press([.character("v"), .character("v")], in: &state)
    let (first, second) = (scene.request(1), scene.request(2))
    let (begun, rest) = (Array(scene.events.prefix(5)), Array(scene.events.dropFirst(5)))
    for news: ReplayNews in [
      .begin(first, scene.job, logLength: 60), .begin(second, scene.job, logLength: 60),
      .events(first, begun), .events(second, begun), .events(first, rest),
      // What an engine tells again is not told again.
      .events(second, begun), .end(first), .failed(first, InstallationError(.internal, "late")),
    ] { _ = state.update(.replay(news)) }
    #expect(state.replay == nil && state.message?.isAlert != true)
    #expect(state.arrivingRecording?.events.count == 5)
    _ = state.update(.replay(.events(second, rest)))
    _ = state.update(.replay(.end(second)))
    let recording = try #require(state.replay?.recording)
    #expect(recording.gaps(timeOffset: 0).isEmpty)
    #expect(recording.job(after: scene.events.count) == scene.job)
    #expect(recording.marks == scene.recording?.marks)
    _ = state.update(.replay(.log(first, asked: 0, offset: 0, text: "of the other\n")))
    RecordedScene.press([.end], in: &state)
    #expect(!Self.rows(state).contains { $0.contains("of the other") })
  }

  @Test func `is not read on once another screen is shown`() {
    let scene = RecordedScene.life()
    var state = Scene.monitor([scene.job])
    Scene.press([.character("v")], in: &state)
    _ = state.update(.replay(.begin(scene.request(), scene.job, logLength: 0)))
    #expect(Scene.press([.character("i")], in: &state).contains(.dropRecording(scene.request())))
    #expect(state.arrivingRecording == nil)
  }

  @Test func `names what could not be read, and what there is beyond what is read`() {
    let scene = RecordedScene.life()
    var state = Scene.monitor([scene.job])
    Scene.press([.character("v")], in: &state)
    _ = state.update(.replay(.begin(scene.request(), scene.job, logLength: 60)))
    _ = state.update(.replay(.events(scene.request(), Array(scene.events.prefix(4)), leftOut: 2)))
    _ = state.update(.replay(.events(scene.request(), [], leftOut: 1)))
    _ = state.update(.replay(.end(scene.request(), isCut: true)))
    let message = state.replay?.note ?? ""
    #expect(message.contains("3 events left out that could not be read"), "\(message)")
    #expect(message.contains("only its first 4 events are shown"), "\(message)")
    var other = Scene.monitor([scene.job])
    Scene.press([.character("v")], in: &other)
    _ = other.update(.replay(.begin(scene.request(), scene.job, logLength: 60)))
    _ = other.update(.replay(.events(scene.request(), scene.events, leftOut: 1)))
    _ = other.update(.replay(.end(scene.request())))
    #expect(other.replay?.note.contains("1 event left out") == true)
    #expect(other.replay?.note.contains("what is kept begins") == false)
    var none = Scene.monitor([scene.job])
    Scene.press([.character("v")], in: &none)
    _ = none.update(.replay(.begin(scene.request(), scene.job, logLength: 60)))
    _ = none.update(.replay(.events(scene.request(), [], leftOut: 3)))
    _ = none.update(.replay(.end(scene.request())))
    #expect(none.message?.text.contains("none of the 3 events of job 12 could be read") == true)
  }

  @Test func `of which nothing is kept, or that cannot be had, says so`() {
    let scene = RecordedScene.life()
    var state = Scene.monitor([scene.job])
    Scene.press([.character("v")], in: &state)
    _ = state.update(.replay(.begin(scene.request(), scene.job, logLength: 0)))
    _ = state.update(.replay(.end(scene.request())))
    #expect(state.replay == nil)
    #expect(state.message?.text.contains("no events of job 12") == true)
    Scene.press([.character("v")], in: &state)
    let error = InstallationError(.protocolMismatch, "the engine is too old")
    _ = state.update(.replay(.failed(scene.request(2), error)))
    #expect(state.message?.text == "replay: the engine is too old")
    #expect(state.arrivingRecording == nil)
  }

  @Test func `shows a job that was cleaned up before this connection`() {
    var scene = RecordedScene.life()
    scene.note(.cleanedUp(by: Scene.ops))
    var state = Scene.monitor([])
    #expect(
      state.update(.replay(.wanted(JobID(12), speed: 16))) == [.fetchRecording(scene.request())])
    _ = state.update(.replay(.begin(scene.request(), scene.job, logLength: 0)))
    _ = state.update(.replay(.events(scene.request(), scene.events)))
    _ = state.update(.replay(.end(scene.request())))
    #expect(state.replay?.speed == 16)
    Scene.press([.escape], in: &state)
    #expect(state.screen == .queue && state.book[JobID(12)] != nil)
  }
}
