import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

@Suite struct FetchingAhead {
  private static func text(_ state: MonitorState) -> String {
    state.render(state.size, Golden.looks[0].look).text
  }

  @Test func `a job that waits tells that its archives are fetched, in its row and in its view`() {
    var state = Scene.monitor(Scene.fetchedAhead, size: Size(columns: 120, rows: 40))
    #expect(Self.text(state).contains("its archives are here"))
    #expect(Self.text(state).contains("its archives are being fetched"))
    Scene.press([.down, .enter], in: &state)
    #expect(Self.text(state).contains("starts in ~1m15s; its archives are here"))
  }

  @Test func `a row without the room for it says nothing of it, and keeps what it has`() {
    let state = Scene.monitor(Scene.fetchedAhead, size: Size(columns: 40, rows: 12))
    let row = Self.text(state).split(separator: "\n").first { $0.contains("1051") }
    #expect(row?.contains("its") == false && row?.contains("#1") == true, "\(row ?? "")")
  }

  @Test func `a held job tells it behind who holds it`() {
    var job = Scene.heldInQueue(Scene.job(7, [Scene.planned("cups")]))
    job.activity = "its archives are here"
    let words = JobWords(job)
    #expect(words.waitReason(offset: 0)?.hasSuffix("; its archives are here") == true)
    // At work the same field tells something else.
    job.state = .finalizing
    #expect(JobWords(job).prefetchActivity == nil)
  }

  @Test func `show and watch tell it in words`() {
    var job = Scene.job(7, [Scene.planned("cups")])
    job.waitingFor = WaitReason(.job, "waits for job 6 to end", job: JobID(6))
    job.activity = "its archives are here"
    #expect(
      JobTable.job(job).contains("  waits:      waits for job 6 to end; its archives are here"))
    var report = PlainReport()
    job.activity = nil
    _ = report.apply(Scene.event(7, .submitted(job)))
    let tick = JobProgressTick(
      percentComplete: 0, currentUpdateIndex: nil, currentStepIndex: nil, downloadedBytes: 0,
      bytesPerSecond: nil, etaSeconds: nil, activity: "its archives are being fetched",
      lastActivityAt: nil, isStalled: false, abortPreview: .accepted(stopsAfter: nil), steps: [])
    let lines = report.apply(Scene.event(7, .progress(tick)))
    #expect(lines.count == 1)
    #expect(lines.first?.contains("ahead=\"its archives are being fetched\"") == true)
    #expect(report.apply(Scene.event(7, .progress(tick))).isEmpty)
  }
}
