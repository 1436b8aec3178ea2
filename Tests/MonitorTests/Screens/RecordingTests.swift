import InstallJobs
import Testing

@testable import Monitor

@Suite struct `N17: a recording` {
  /// The job after each number of events, played from the beginning.
  static func played(_ scene: RecordedScene) -> [JobSnapshot] {
    guard let first = scene.recording?.job(after: 0) else { return [] }
    return scene.events.reduce(into: [first]) { all, event in
      var job = all[all.count - 1]
      job.apply(event)
      all.append(job)
    }
  }

  @Test(arguments: [1, 3, 200])
  func `shows anywhere what playing up to there shows, whichever way one comes there`(
    _ count: Int
  ) throws {
    let scene = RecordedScene.life(count)
    let recording = try #require(scene.recording)
    let played = Self.played(scene)
    var known: (count: Int, job: JobSnapshot)?
    for step in 0...40 {
      // Here and there through all of it.
      let place = step * 7919 % played.count
      let job = recording.job(after: place, known: known)
      #expect(job == played[place], "after \(place) events")
      known = (place, job)
    }
  }

  @Test(arguments: [OperationResultCode.succeeded, .failed])
  func `ends with the job as it is now, whatever became of it later`(_ code: OperationResultCode)
    throws
  {
    var scene = RecordedScene(Scene.job(12, [Scene.planned("a"), Scene.planned("b")]))
    scene.second = 5
    scene.enter(.downloading)
    scene.enter(.installing, step: 0)
    scene.note(
      .abortRequested(
        AbortRecord(
          requestedAt: Scene.at(5), requestedBy: Scene.ops,
          disposition: .accepted(stopsAfter: "a", etaSeconds: 1))))
    scene.move(0, to: .done, percent: 100)
    scene.second = 9
    scene.end(code)
    scene.second = 90_000
    scene.note(.cleanedUp(by: Scene.ops))
    let recording = try #require(scene.recording)
    #expect(recording.gaps(timeOffset: 0).allSatisfy { $0.hasPrefix("when the log was written") })
    #expect(recording.end == Scene.at(9))
    #expect(recording.job(after: recording.count(at: recording.end)) == scene.job)
    #expect(Replay(recording).book[JobID(12)]?.job.isCleanedUp == false)
    var replay = Replay(recording)
    replay.go(to: recording.end)
    #expect(replay.book[JobID(12)]?.job == scene.job)
  }

  @Test func `begins with nothing done, and no figure goes back on the way`() throws {
    let scene = RecordedScene.life(20)
    let recording = try #require(scene.recording)
    let first = recording.job(after: 0)
    #expect(first.plan?.allSatisfy { $0.phase == .pending && $0.percentComplete == 0 } == true)
    #expect(first.state == .queued && first.startedAt == nil && first.error == nil)
    var replay = Replay(recording)
    replay.go(to: recording.begin)
    var (last, bars, lines) = (-1.0, 0.0, 0)
    while !replay.isAtEnd {
      let job = try #require(replay.book[JobID(12)]?.job)
      let sum = (job.plan ?? []).reduce(0) { $0 + $1.percentComplete }
      #expect(job.percentComplete >= last && sum >= bars)
      let length = recording.log(after: recording.count(at: replay.moment)).length
      #expect(Int(length) >= lines)
      (last, bars, lines) = (job.percentComplete, sum, Int(length))
      replay.go(by: 3)
    }
    #expect(replay.book[JobID(12)]?.job.percentComplete == 100)
  }

  @Test func `keeps its order where the clock was set back`() throws {
    var scene = RecordedScene(Scene.job(12, [Scene.planned("a", size: 0)]))
    scene.second = 100
    scene.enter(.installing, step: 0)
    scene.second = 40
    scene.move(0, to: .unpacking, percent: 0)
    scene.second = 70
    scene.move(0, to: .done, percent: 100)
    scene.second = 130
    scene.end()
    let recording = try #require(scene.recording)
    #expect(recording.count(at: Scene.at(99)) == 1)
    #expect(recording.count(at: Scene.at(100)) == 4)
    #expect(recording.job(after: 5) == scene.job)
  }

  /// Number of events to apply from the last checkpoint to the job after `count` events.
  private func distance(to count: Int, in recording: Recording) -> Int {
    count - (recording.checkpoints.last { $0.count <= count }?.count ?? 0)
  }

  @Test func `of a hundred thousand events goes through few for any moment`() throws {
    var scene = RecordedScene(Scene.job(12, [Scene.planned("a", size: 0)]))
    scene.enter(.installing, step: 0)
    let status = try #require(scene.job.plan?[0])
    var events = scene.events
    for number in 0..<100_000 {
      var moved = status
      moved.percentComplete = Double(number) / 1000
      events.append(
        JobEvent(
          seq: 200 + number, at: Scene.at(Double(number) / 100), job: JobID(12),
          payload: .update(index: 0, status: moved)))
    }
    let recording = try #require(scene.recording(logLength: 0, events: events))
    for place in stride(from: 0, through: events.count, by: 997) {
      #expect(distance(to: place, in: recording) <= events.count / 64 + 1)
    }
    #expect(recording.job(after: 50_002).plan?[0].percentComplete == 49.999)
  }

  @Test func `of a large plan keeps no more copies than there is room for`() throws {
    let scene = RecordedScene.life(400)
    let recording = try #require(scene.recording)
    #expect(distance(to: scene.events.count, in: recording) < scene.events.count / 4)
    #expect(recording.job(after: scene.events.count) == scene.job)
  }

  @Test func `says what it does not have, and makes nothing up`() throws {
    let scene = RecordedScene.life(isNoted: false)
    let recording = try #require(scene.recording(logLength: 60))
    #expect(recording.percent(after: 5) == nil)
    #expect(recording.log(after: 5).length == 60, "all of it, since nobody knows")
    let gaps = recording.gaps(timeOffset: 0)
    #expect(gaps.contains { $0.contains("percentage was not recorded") })
    #expect(gaps.contains { $0.contains("all of it is shown") })
    #expect(try #require(RecordedScene.life().recording).gaps(timeOffset: 0).isEmpty)
    let rest = Array(RecordedScene.life().events.dropFirst(4))
    let part = try #require(scene.recording(logLength: 60, events: rest))
    #expect(part.gaps(timeOffset: 0)[0].contains("begins at 12:00:40"))
    #expect(part.job(after: 0).plan?.allSatisfy { $0.phase == .pending } == true)
    #expect(scene.recording(logLength: 60, events: []) == nil)
  }

  @Test func `goes to states, packages, failures and aborts`() throws {
    let recording = try #require(RecordedScene.life().recording)
    let seconds = recording.marks.map { $0.seconds(since: Scene.noon) }
    #expect(seconds == [30, 31, 51, 71, 90, 91])
    var replay = Replay(recording)
    #expect(replay.elapsed == 30, "where the work began")
    replay.togglePlaying(at: nil)
    replay.goToNextMark()
    #expect(replay.elapsed == 31)
    replay.goToPreviousMark()
    replay.goToPreviousMark()
    #expect(replay.elapsed == 0)
  }

  @Test func `shows a long log from the same place, whichever way one comes there`() {
    let all: Int64 = 1 << 20
    #expect(ReplayLog.start(for: all, of: all) == all - ReplayLog.length)
    #expect(ReplayLog.start(for: 5000, of: 9000) == 0)
    for length in stride(from: Int64(0), through: all, by: 4999) {
      let start = ReplayLog.start(for: length, of: all)
      #expect(start >= 0 && start <= length && length - start <= ReplayLog.length)
      #expect(start == 0 || length - start >= 32_768, "enough of it to read")
    }
    let piece = ReplayLog(asked: 0, offset: 0, text: "ab\ncd \u{E9}f\n")
    #expect(piece.tail(upTo: 5, of: JobID(1)).lines == ["ab", "cd"])
    #expect(piece.tail(upTo: 7, of: JobID(1)).lines == ["ab", "cd "], "no half characters")
    #expect(piece.tail(upTo: 99, of: JobID(1)).lines == ["ab", "cd \u{E9}f"])
    // A piece is 65,536 bytes; an engine that gives more fills nothing.
    let text = "x" + String(repeating: "\u{E9}", count: 99_999)
    let long = ReplayLog(asked: 0, offset: 0, text: text)
    #expect(long.tail(upTo: 1 << 20, of: JobID(1)).end == 65_535, "no half characters")
  }
}
