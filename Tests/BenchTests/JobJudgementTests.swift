import InstallJobs
import Testing

@testable import Bench

/// A finished job of installs, to be held against package databases.
struct FinishedJob {
  var job: JobSnapshot

  /// A job that installs these packages, each with its result.
  init(
    _ steps: KeyValuePairs<String, OperationResultCode>, code: OperationResultCode = .succeeded,
    action: PlannedAction = .install, state: JobState = .completed
  ) {
    let plan = JobPlan(
      requests: steps.enumerated().map { index, step in
        JobPlan.Request(update: Update(step.key), step: index)
      },
      steps: steps.map { name, _ in
        PlannedUpdate(
          name: name, architecture: "all", action: action, toVersion: "1.0", requested: true)
      })
    job = JobSnapshot(
      id: JobID(1), request: JobRequest(.install, steps.map { Update($0.key) }), plan: plan,
      requestedBy: Requester(uid: 1, user: "ops"), provider: "apt",
      submittedAt: Timestamp(milliseconds: 0))
    job.state = state
    job.resultCode = code
    job.percentComplete = code == .succeeded ? 100 : 50
    for (index, step) in steps.enumerated() {
      job.plan?[index].resultCode = step.value
      job.updates[index].resultCode = step.value
    }
  }
}

@Suite struct `Judging a job by the package database` {
  private func judgement(
    _ job: FinishedJob, before: [String: String] = [:], after: [String: String],
    audit: String = "", configurations: [String: Int] = [:], hit: Set<Victim> = []
  ) -> JobJudgement {
    JobJudgement(
      job: job.job, before: InstalledPackages(before), after: InstalledPackages(after),
      audit: audit, configurations: configurations, hit: hit)
  }

  private static let done = FinishedJob(["a": .succeeded, "b": .succeeded])
  private static let both = ["a": "installed 1.0", "b": "installed 1.0"]

  @Test func `a result that the database bears out is right`() {
    #expect(judgement(Self.done, after: Self.both).wrong.isEmpty)
    let purged = FinishedJob(["a": .succeeded], action: .purge)
    #expect(judgement(purged, before: ["a": "installed 1.0"], after: [:]).wrong.isEmpty)
  }

  @Test(arguments: [nil, "installed 2.0", "half-configured 1.0", "installed reinstreq 1.0"])
  func `a success that the database does not have is wrong`(state: String?) {
    var after = Self.both
    after["b"] = state
    #expect(judgement(Self.done, after: after).wrong.count == 1)
  }

  @Test func `work that nobody disturbed must succeed`() {
    let half = FinishedJob(
      ["a": .succeeded, "b": .notStarted], code: .succeededWithErrors, state: .interrupted)
    let after = ["a": "installed 1.0"]
    #expect(judgement(half, after: after, hit: [.worker]).wrong.isEmpty)
    #expect(judgement(half, after: after, hit: [.engine, .client]).wrong.count == 1)
  }

  @Test func `not started means untouched, failed means not there`() {
    let half = FinishedJob(["a": .notStarted, "b": .failed], code: .failed)
    #expect(judgement(half, after: ["b": "unpacked 1.0"], hit: [.session]).wrong.isEmpty)
    #expect(judgement(half, after: ["a": "unpacked 1.0"], hit: [.session]).wrong.count == 1)
    #expect(judgement(half, after: Self.both, hit: [.session]).wrong.count == 2)
  }

  @Test func `the whole must be the sum of its parts, and 100 % a success`() {
    var job = Self.done
    job.job.resultCode = .succeededWithErrors
    // Another result, no 100 % for it, and not what undisturbed work ends with.
    #expect(judgement(job, after: Self.both).wrong.count == 3)
    job.job.resultCode = .succeeded
    job.job.percentComplete = 99
    #expect(judgement(job, after: Self.both).wrong.count == 1)
    job.job.state = .installing
    #expect(judgement(job, after: Self.both).wrong == ["it is installing, not over"])
  }

  @Test func `configured twice counts, unless a repair had to`() {
    let counts = ["a": 2, "b": 1]
    #expect(
      judgement(Self.done, after: Self.both, configurations: counts).installedTwice == ["a"])
    let cut = judgement(Self.done, after: Self.both, configurations: counts, hit: [.session])
    #expect(cut.installedTwice.isEmpty)
  }

  @Test func `the database's words are read as dpkg-query prints them`() {
    let read = InstalledPackages(
      printed: """
        a installed ok 1.0
        b half-installed reinstreq 1.0
        c not-installed ok\u{20}
        d config-files ok 2.0

        """)
    #expect(
      read.states == [
        "a": "installed 1.0", "b": "half-installed reinstreq 1.0", "d": "config-files 2.0",
      ])
    #expect(read.whole == ["a"])
  }

  @Test func `the scripts' trace says how often each was configured`() {
    let trace = "a configure\nb configure\na configure\na abort-upgrade\n"
    #expect(PackageRecipe.configurations(in: trace) == ["a": 2, "b": 1])
  }
}
