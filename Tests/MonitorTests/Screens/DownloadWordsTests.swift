import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

@Suite struct `Words for a download job` {
  private func job(_ operation: JobOperation = .install) -> JobSnapshot {
    var job = Scene.job(
      4, [Scene.planned("lib", isRequested: false), Scene.planned("app")], operation: operation)
    job.options.isDownloadOnly = true
    return job
  }

  /// The job when it is over, its packages in these phases.
  private func ended(
    _ code: OperationResultCode, _ results: [(UpdatePhase, OperationResultCode, UpdateNote?)]
  ) -> JobSnapshot {
    var job = Scene.ended(job(), code, percent: code == .succeeded ? 100 : 40, results: [])
    for (step, result) in results.enumerated() {
      guard var status = job.plan?[step] else { continue }
      (status.phase, status.resultCode, status.note) = result
      job.plan?[step] = status
      if let index = job.updateSteps.firstIndex(of: step) { job.updates[index] = status }
    }
    return job
  }

  private func words(_ job: JobSnapshot) -> JobWords { JobWords(job) }

  @Test(arguments: [JobOperation.install, .reinstall, .upgrade])
  func `name it a download, whatever the archives are for`(operation: JobOperation) {
    let words = words(job(operation))
    #expect(words.packages == "download app 1.0-1 (2 packages)")
    #expect(words.requestedPackages == "download app 1.0-1, 2 packages in all")
    #expect(words.operationAndPackages == "download app +1")
  }

  @Test func `say downloaded, and never installed`() {
    let done = ended(.succeeded, [(.downloaded, .succeeded, nil), (.downloaded, .succeeded, nil)])
    #expect(JobEnding(done)?.sentence == "succeeded: app downloaded")
    let lines = JobTable.job(done) + JobTable.history([done]) + JobTable.jobs([done])
    #expect(lines.contains { $0.contains("downloaded") })
    #expect(!lines.contains { $0.contains("install") || $0.contains("unpack") }, "\(lines)")
  }

  @Test func `W13: tell what was there before`() {
    let done = ended(
      .succeeded,
      [
        (.downloaded, .succeeded, .alreadyDownloaded),
        (.downloaded, .succeeded, .alreadyDownloaded),
      ])
    #expect(JobEnding(done)?.sentence == "succeeded: app downloaded already")
    #expect(JobTable.job(done).filter { $0.contains("was there before") }.count == 2)
  }

  @Test func `W15: tell after an abort what came and what came in part`() {
    let done = ended(
      .aborted, [(.downloaded, .succeeded, nil), (.downloading, .notStarted, nil)])
    #expect(
      JobEnding(done)?.sentence
        == "aborted: 1 other package downloaded; app not started")
    #expect(JobTable.job(done).contains { $0.contains("partial") })
    #expect(words(done).share == "0 of 1 asked for")
  }

  @Test func `promise that an abort keeps what has come`() {
    var job = Scene.running(job(), .downloading, percent: 20)
    job.abortPreview = .accepted(stopsAfter: nil)
    #expect(words(job).safePoint(offset: 0) == "safe to stop: what has come is kept")
    #expect(
      AbortWords.sentence(.accepted(stopsAfter: nil), for: job)
        == "stops at once, what has come is kept")
    #expect(words(job).phase == "download")
    job.state = .finalizing
    #expect(words(job).activity(offset: 0) == "the archives are checked")
  }

  @Test func `have the stages of fetching, and none of a package's work`() {
    let running = JobStages(words(Scene.running(job(), .downloading, percent: 20)))
    #expect(running.stages.map(\.name) == ["plan", "fetch", "verify"])
    let done = ended(.succeeded, [(.downloaded, .succeeded, nil), (.downloaded, .succeeded, nil)])
    #expect(JobStages(words(done)).stages.allSatisfy { $0.standing == .done })
    let failed = ended(.failed, [(.downloaded, .failed, nil), (.downloaded, .failed, nil)])
    #expect(JobStages(words(failed)).stages[1].standing == .ended(.failed))
  }

  @Test func `are what a filter finds them by`() {
    let entries = [
      JobStore.Entry(job: job()), JobStore.Entry(job: Scene.job(5, [Scene.planned("x")])),
    ]
    for (text, found) in [("op:download", [4]), ("op:install", [5]), ("download", [4])] {
      let filter = JobFilter(text, now: Scene.noon)
      #expect(
        entries.filter { filter.matches($0) }.map(\.job.id.rawValue) == found, "\(text)")
    }
  }

  @Test func `a plan says what is fetched and that no package is changed`() {
    let job = job()
    let plan = JobPlan(
      requests: [], steps: job.plan?.map(\.planned) ?? [],
      archives: [0: PlannedArchive(fileName: "a", size: 480_000, hash: nil, uri: "copy:/a")])
    let lines = PlanTable.lines(plan, JobRequest(.install, [Update("app")], options: job.options))
    #expect(lines.last == "1 archive, 480 kB to fetch; no package is changed", "\(lines)")
    #expect(lines.filter { $0.hasPrefix("download") }.count == 2)
  }

  @Test func `do not count a download as proof that nothing is half done`() {
    var broken = Scene.ended(
      Scene.job(3, [Scene.planned("bad")]), .failed, percent: 50, results: [.failed],
      error: Scene.scriptError)
    broken.repairs = [.finishConfiguration]
    var done = ended(.succeeded, [(.downloaded, .succeeded, nil), (.downloaded, .succeeded, nil)])
    done.endedAt = Scene.at(1000)
    #expect(!broken.settled(by: [broken, done]).repairs.isEmpty)
    done.options.isDownloadOnly = false
    #expect(broken.settled(by: [broken, done]).repairs.isEmpty)
  }
}
