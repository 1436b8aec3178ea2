import InstallJobs
import Testing

@Suite struct `Retrying a job` {
  /// A job whose updates ended as `results` say.
  private func ended(
    _ request: JobRequest, _ names: [String], _ results: [OperationResultCode],
    state: JobState = .completed
  ) -> JobSnapshot {
    let steps = names.map {
      PlannedUpdate(
        name: $0, architecture: "amd64", action: .install, toVersion: "1", requested: true)
    }
    let updates =
      request.updates.isEmpty ? names.map { Update($0, architecture: "amd64") } : request.updates
    let plan = JobPlan(
      requests: updates.indices.map { JobPlan.Request(update: updates[$0], step: $0) },
      steps: steps)
    var job = JobSnapshot(
      id: JobID(7), request: request, plan: plan,
      requestedBy: Requester(uid: 1, user: "ada"), provider: "apt",
      submittedAt: Timestamp(milliseconds: 0))
    job.state = state
    job.resultCode = OperationResultCode.overall(of: results, wasAborted: false)
    for index in results.indices { job.updates[index].resultCode = results[index] }
    return job
  }

  @Test func `asks for what did not succeed, as it was asked for, in that order`() throws {
    let archive = LocalArchive(fileName: "d.deb", sha256: "00", size: 1)
    let request = JobRequest(
      .install,
      [
        Update("a"), Update("b", version: "1"), Update("c", architecture: "amd64"),
        Update("d", version: "1", architecture: "amd64", archive: archive),
      ])
    let job = ended(
      request, ["a", "b", "c", "d"], [.succeeded, .failed, .aborted, .notStarted])
    #expect(try request.retrying(job).updates == Array(request.updates[1...]))
    #expect(try request.retrying(job).operation == .install)
  }

  @Test func `asks for what came along and is not done, as installed automatically`() throws {
    let request = JobRequest(.install, [Update("app")])
    let steps = ["app", "lib", "extra"].map {
      PlannedUpdate(
        name: $0, architecture: "amd64", action: .install, toVersion: "1", requested: $0 == "app")
    }
    let plan = JobPlan(requests: [JobPlan.Request(update: Update("app"), step: 0)], steps: steps)
    var job = JobSnapshot(
      id: JobID(7), request: request, plan: plan, requestedBy: Requester(uid: 1, user: "ada"),
      provider: "apt", submittedAt: Timestamp(milliseconds: 0))
    job.state = .completed
    job.resultCode = .aborted
    job.updates[0].resultCode = .succeeded
    job.plan?[0].resultCode = .succeeded
    job.plan?[1].resultCode = .succeeded
    var extra = Update("extra", architecture: "amd64")
    extra.isAutomatic = true
    #expect(try request.retrying(job).updates == [extra])
    #expect(try request.retrying(job).operation == .install)
  }

  @Test func `of an upgrade installs what was to come along as new`() throws {
    let request = JobRequest(.upgrade, [])
    let steps = [
      PlannedUpdate(
        name: "app", architecture: "amd64", action: .upgrade, fromVersion: "1", toVersion: "2",
        requested: true),
      PlannedUpdate(name: "new", architecture: "amd64", action: .install, toVersion: "1"),
    ]
    let plan = JobPlan(
      requests: [JobPlan.Request(update: Update("app", architecture: "amd64"), step: 0)],
      steps: steps)
    var job = JobSnapshot(
      id: JobID(7), request: request, plan: plan, requestedBy: Requester(uid: 1, user: "ada"),
      provider: "apt", submittedAt: Timestamp(milliseconds: 0))
    job.state = .completed
    job.resultCode = .aborted
    job.updates[0].resultCode = .succeeded
    job.plan?[0].resultCode = .succeeded
    #expect(try request.retrying(job).operation == .upgrade)
    #expect(try request.retrying(job).updates.map(\.name) == ["new"])
    #expect(try request.retrying(job).updates.map(\.isAutomatic) == [true])
  }

  @Test func `how it is done stays, when it is done does not`() throws {
    var options = InstallationOptions()
    options.isForced = true
    options.purgesConfiguration = true
    options.conffiles = .new
    options.proxy = "http://proxy:3128"
    options.ignoresPendingReboot = true
    options.lockSeconds = 5
    options.clientName = "fettle"
    var kept = options
    kept.comment = "retry of 7"
    kept.retryOf = JobID(7)
    options.comment = "why"
    options.token = "once"
    options.priority = 50
    options.whenBusy = .fail
    options.after = JobID(3)
    options.earliestStart = Timestamp(milliseconds: 1)
    options.latestStop = Timestamp(milliseconds: 2)
    let request = JobRequest(.reinstall, [Update("a")], options: options)
    #expect(try request.retrying(ended(request, ["a"], [.failed])).options == kept)
  }

  @Test func `of an upgrade of everything names what is left of it`() throws {
    let request = JobRequest(.upgrade, [])
    let job = ended(request, ["a", "b"], [.succeeded, .failed])
    #expect(
      try request.retrying(job).updates == [Update("b", architecture: "amd64")])
  }

  @Test func `of a repair of everything looks again for what is left`() throws {
    let request = JobRequest(.repair, [])
    #expect(try request.retrying(ended(request, ["a", "b"], [.succeeded, .failed])).updates == [])
  }

  @Test(arguments: [JobState.queued, .installing, .suspended, .stopping])
  func `is refused while the job is not over`(state: JobState) {
    let request = JobRequest(.install, [Update("a")])
    let job = ended(request, ["a"], [.notStarted], state: state)
    let error = #expect(throws: InstallationError.self) { try request.retrying(job) }
    #expect(error?.code == .invalidState)
    #expect(error?.message.contains("job 7: it is not over") == true)
  }

  @Test(arguments: [JobOperation.install, .upgrade, .repair])
  func `is refused when everything is done`(operation: JobOperation) {
    let request = JobRequest(operation, operation == .install ? [Update("a")] : [])
    let error = #expect(throws: InstallationError.self) {
      try request.retrying(ended(request, ["a"], [.succeeded]))
    }
    #expect(error?.code == .invalidState)
    #expect(error?.message.contains("everything it was asked for is done") == true)
  }

  @Test func `goes for an interrupted job too`() throws {
    let request = JobRequest(.install, [Update("a"), Update("b")])
    let job = ended(request, ["a", "b"], [.succeeded, .notStarted], state: .interrupted)
    #expect(try request.retrying(job).updates == [Update("b")])
  }
}
