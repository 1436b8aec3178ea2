import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

@Suite struct `When an abort takes effect` {
  private func stopping(eta: Double?, preview: Double? = nil) -> JobSnapshot {
    var job = Scene.upgrade
    job.state = .stopping
    let name = "linux-image-6.1.0-31-amd64"
    job.abort = AbortRecord(
      requestedAt: Scene.at(140), requestedBy: Scene.ops,
      disposition: .accepted(stopsAfter: name, etaSeconds: eta), acknowledgedAt: Scene.at(141))
    job.abortPreview = .accepted(stopsAfter: name, etaSeconds: preview)
    return job
  }

  private func words(_ job: JobSnapshot, at seconds: Double) -> JobWords {
    var words = JobWords(job)
    words.time = Scene.at(seconds)
    return words
  }

  @Test func `what was promised counts down with the signs of life, then it is late`() {
    // Acknowledged at 141, heard last at 150.
    let job = stopping(eta: 20, preview: 60)
    #expect(
      words(job, at: 150).safePoint(offset: 0).hasPrefix(
        "stops after linux-image-6.1.0-31-amd64 (about 11s) · asked for by ops"))
    #expect(words(job, at: 150).tail == "~11s")
    #expect(words(job, at: 169).tail == "+8s late")
    #expect(words(job, at: 169).safePoint(offset: 0).contains("(8s late)"))
    #expect(words(job, at: 169).isLate && !words(job, at: 150).isLate)
  }

  @Test func `nothing is said where nothing is known`() {
    let job = stopping(eta: nil)
    #expect(words(job, at: 500).tail == "")
    #expect(
      words(job, at: 500).safePoint(offset: 0).hasPrefix(
        "stops after linux-image-6.1.0-31-amd64 · asked"))
    // Known by now: foreseen, not promised, and gone when it has run out.
    let later = stopping(eta: nil, preview: 9)
    #expect(words(later, at: 150).tail == "~9s")
    #expect(words(later, at: 170).tail == "")
  }

  @Test func `before anybody asks it is what the figures say, as long as they hold`() {
    #expect(words(Scene.upgrade, at: 150).safePoint(offset: 0).hasSuffix("(about 7s)"))
    #expect(words(Scene.upgrade, at: 159).safePoint(offset: 0).hasSuffix("6.1.0-31-amd64"))
  }

  @Test func `an abort that is not acknowledged has no seconds`() {
    var entry = JobStore.Entry(job: Scene.upgrade)
    entry.isAbortAsked = true
    var words = JobWords(entry: entry)
    words.promise = JobPromise(entry.job)
    #expect(words.tail == "")
    #expect(!words.safePoint(offset: 0).contains("about"))
  }

  @Test func `one is woken when it becomes late, once a second from then on`() {
    var state = Scene.monitor([stopping(eta: 20)])
    _ = state.update(.clock(Scene.at(150)))
    _ = state.update(Scene.event(1042, .log(offset: 0, text: ""), at: 150))
    #expect(state.nextMoment == Scene.at(162))
    _ = state.update(.clock(Scene.at(165)))
    #expect(state.nextMoment == Scene.at(166))
    let text = state.render(Size(columns: 120, rows: 40), Golden.looks[0].look).text
    #expect(text.contains("+4s late"))
  }

  @Test func `lines tell the stop of a job that is stopping`() {
    var report = PlainReport()
    _ = report.apply(.snapshotBegin)
    _ = report.apply(.snapshot([stopping(eta: 20)]))
    let line = report.apply(.snapshotEnd(seq: 1)).joined()
    #expect(line.contains("stops-after=linux-image-6.1.0-31-amd64 eta=11s"))
  }

  @Test func `the whole has an end only where all that has to run has one`() {
    func overall(_ jobs: [JobSnapshot]) -> String {
      let state = Scene.monitor(jobs)
      return String(
        state.render(Size(columns: 80, rows: 24), Golden.looks[0].look).text
          .split(separator: "\n")[1])
    }
    let ended = Scene.queue.filter(\.state.isFinal)
    #expect(overall([Scene.upgrade] + ended).contains("eta 1m20s"))
    #expect(!overall(Scene.waiting).contains("eta"))
    #expect(!overall([stopping(eta: 3)] + ended).contains("eta"))
    #expect(!overall(ended).contains("eta"))
    var young = Scene.upgrade
    young.etaSeconds = nil
    #expect(!overall([young]).contains("eta"))
  }
}
