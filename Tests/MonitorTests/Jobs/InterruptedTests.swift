import Canvas
import FoundationEssentials
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

@Suite struct `An interrupted job` {
  /// Twenty seconds of work, found an hour later by another engine; one package was cut off.
  private static var job: JobSnapshot {
    let error = InstallationError(
      .interrupted, "the work of job 1060 ended without a word", class: .transient,
      hint: "'fettle doctor --repair' mends what is half done, 'fettle retry 1060' submits the rest"
    )
    var job = Scene.ended(
      Scene.job(1060, [Scene.planned("hello"), Scene.planned("sl")]), .succeededWithErrors,
      percent: 60, results: [.succeeded, .failed], error: error, took: 3620.6)
    job.state = .interrupted
    job.interruptedAt = Scene.at(120)
    job.updates[1].error = InstallationError(.notVerified, "sl is unpacked", update: "sl")
    job.repairs = [.finishConfiguration]
    return job
  }

  @Test func `does not count the time in which no engine looked after it`() throws {
    let words = JobWords(Self.job)
    #expect(words.tail == "20s")
    var report = PlainReport(only: [Self.job.id])
    _ = report.apply(.snapshotBegin)
    _ = report.apply(.snapshot([Self.job]))
    let line = try #require(report.apply(.snapshotEnd(seq: 1)).first)
    #expect(line.contains("took=20s interrupted-for=3601s"))
    let shown = JobTable.job(Self.job)
    #expect(shown.contains { $0.contains("for 1h00m, until it was found") })
  }

  @Test func `and one whose end was found late is told with both times`() throws {
    var job = Scene.ended(
      Scene.job(1061, [Scene.planned("hello")]), .succeeded, percent: 100,
      results: [.succeeded], took: 3620.6)
    job.workEndedAt = job.startedAt?.advanced(bySeconds: 20)
    #expect(JobWords(job).tail == "20s")
    #expect(JobTable.job(job).contains { $0.contains(", found 1h00m later") })
    let encoded = try JSONEncoder().encode(job)
    #expect(try JSONDecoder().decode(JobSnapshot.self, from: encoded) == job)
  }

  @Test func `has cut its package off, which did not fail, and all places count alike`() {
    let ending = JobEnding(Self.job)
    #expect(ending?.failed == [] && ending?.interrupted == ["sl"])
    #expect(ending?.sentence.contains("sl interrupted") == true)
    let state = Scene.monitor([Self.job])
    let text = state.render(Size(columns: 120, rows: 40), Golden.looks[0].look).text
    let overall = text.split(separator: "\n").first { $0.contains(" over, ") }
    #expect(overall?.contains("1 of 1 job over, 1 interrupted") == true)
    #expect(overall?.contains("failed") == false)
  }

  @Test func `is mended by keys on a screen and by commands elsewhere`() {
    let lines = Scene.monitor([Self.job]).statusLines(of: Self.job.id, columns: 300)?.lines ?? []
    let screen = lines.flatMap { $0 }.map(\.text).joined(separator: " ")
    #expect(screen.contains("r retries") && screen.contains("! repairs"))
    #expect(!screen.contains("'fettle"))
    let shown = JobTable.job(Self.job).joined(separator: "\n")
    #expect(shown.contains("'fettle doctor --repair'") && shown.contains("'fettle retry 1060'"))
  }

  @Test(arguments: [true, false])
  func `offers no repair and no retry that was done since`(_ isLive: Bool) {
    var mending = Scene.ended(
      Scene.job(1061, [Scene.planned("sl")], operation: .repair), .succeeded, percent: 100,
      results: [.succeeded], took: 3700)
    var retry = Scene.job(1062, [Scene.planned("sl")])
    retry.options.retryOf = Self.job.id
    let size = Size(columns: 120, rows: 40)
    var state = Scene.monitor(isLive ? [Self.job] : [retry, mending, Self.job], size: size)
    if isLive {
      let outcome = Keys.outcome(.succeeded, 100, mending.updates)
      mending.state = .queued
      _ = state.update(Scene.event(1061, .submitted(mending)))
      _ = state.update(Scene.event(1061, .completed(outcome), at: 3800))
      #expect(state.book[Self.job.id]?.isRetriable == true)
      _ = state.update(Scene.event(1062, .submitted(retry)))
    }
    Scene.press([.character(":")] + Scene.typed("job 1060") + [.enter], in: &state)
    let text = state.render(size, Golden.looks[0].look).text
    #expect(!text.contains("Retry") && !text.contains("Repair") && !text.contains("! repairs"))
    #expect(text.contains("retried as job 1062") && !text.contains("needs repair"))
    Scene.press([.character("r")], in: &state)
    #expect(state.message?.text == "retry: job 1060 was retried as job 1062")
    Scene.press([.character("C")], in: &state)
    guard case .cleanUp(let question, _)? = state.dialogue else {
      Issue.record("no question")
      return
    }
    #expect(question.needRepair == 0)
  }

  @Test func `is told by a command without what was done since`() {
    let mending = Scene.ended(
      Scene.job(1061, [Scene.planned("sl")], operation: .repair), .succeeded, percent: 100,
      results: [.succeeded], took: 3700)
    var retry = Scene.job(1062, [Scene.planned("sl")])
    retry.options.retryOf = Self.job.id
    func told(_ jobs: [JobSnapshot]) -> String {
      JobTable.job(Self.job.settled(by: jobs)).joined(separator: "\n")
    }
    let open = told([Self.job])
    #expect(open.contains("needs repair") && open.contains("'fettle doctor"))
    let mended = told([mending, Self.job])
    #expect(!mended.contains("needs repair") && !mended.contains("'fettle doctor"))
    #expect(mended.contains("('fettle retry 1060' submits the rest)"))
    #expect(told([mending, Self.job, retry]).contains("(retried as job 1062)"))
  }

  @Test func `needs its repair as long as no later job found everything whole`() {
    let before = Scene.ended(
      Scene.job(1059, [Scene.planned("jq")]), .succeeded, percent: 100, results: [.succeeded])
    let after = Scene.ended(
      Scene.job(1061, [Scene.planned("jq")]), .succeededWithErrors, percent: 100,
      results: [.succeeded], took: 3700)
    let state = Scene.monitor([before, Self.job, after])
    #expect(state.book[Self.job.id]?.job.repairs.isEmpty == false)
    #expect(state.book[Self.job.id]?.isMended == false)
  }

  @Test(arguments: [(0.4, "0s"), (0.6, "1s"), (59.4, "59s")])
  func `how long a job took is the same number wherever it is told`(_ took: Double, _ word: String)
  {
    let job = Scene.ended(
      Scene.job(1061, [Scene.planned("hello")]), .succeeded, percent: 100, results: [.succeeded],
      took: took)
    #expect(JobWords(job).tail == word)
    var report = PlainReport(only: [job.id])
    for event: MonitorEvent in [.snapshotBegin, .snapshot([job])] { _ = report.apply(event) }
    #expect(report.apply(.snapshotEnd(seq: 1)).first?.contains("took=\(word)") == true)
  }

  @Test func `lines for a pipe begin with the jobs that are open and a count of the rest`() {
    var report = PlainReport(countsAtStart: true)
    for event: MonitorEvent in [.snapshotBegin, .snapshot(Scene.queue)] { _ = report.apply(event) }
    let lines = report.apply(.snapshotEnd(seq: 1))
    let over = Scene.queue.count { $0.state.isFinal }
    #expect(lines.count == Scene.queue.count - over + 1)
    #expect(lines.last?.contains("\(over) over; 'fettle jobs' lists them") == true)
  }

  @Test func `a fetched package says its stage, not a share that nothing moves`() {
    var status = UpdateStatus(Scene.planned("hello"), phase: .downloaded, percentComplete: 38)
    func words(_ isOver: Bool) -> UpdateWords {
      UpdateWords(status, isJobOver: isOver, isCurrent: false)
    }
    #expect(words(false).share == nil && words(false).stage == "downloaded")
    #expect(words(true).share == nil)
    status.phase = .unpacking
    #expect(words(false).share == "38%" && words(true).share == "38%")
  }

  @Test func `packages are counted with those that only others need, in one way`() {
    let steps = [
      Scene.planned("app"), Scene.planned("lib", isRequested: false),
      Scene.planned("data", isRequested: false), Scene.planned("tool"),
    ]
    let words = JobWords(Scene.job(1062, steps))
    #expect(words.packages == "app (4 packages)")
    #expect(words.shortPackages == "app +3")
    var aborted = Scene.ended(
      Scene.job(1063, steps), .aborted, percent: 40, results: [.succeeded, .notStarted])
    #expect(
      JobWords(aborted).share == "1 of 2 asked for")
    aborted.planCount = 2
    #expect(JobWords(aborted).share == "1 of 2 installed")
  }
}
