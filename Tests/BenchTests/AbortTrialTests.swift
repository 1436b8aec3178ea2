import InstallJobs
import Testing

@testable import Bench

@Suite struct `Judging an abort by its answer` {
  private func trial(
    _ answer: AbortDisposition, _ steps: KeyValuePairs<String, OperationResultCode>,
    code: OperationResultCode = .aborted, after: [String]
  ) -> AbortTrial {
    var job = FinishedJob(steps, code: code).job
    if case .accepted = answer {
      job.abort = AbortRecord(
        requestedAt: Timestamp(milliseconds: 0), requestedBy: job.requestedBy,
        disposition: answer)
    }
    let states = Dictionary(uniqueKeysWithValues: after.map { ($0, "installed 1.0") })
    return AbortTrial(answer: answer, job: job, after: InstalledPackages(states), audit: "")
  }

  @Test func `stopping at once leaves nothing begun`() {
    let answer = AbortDisposition.accepted(stopsAfter: nil)
    #expect(trial(answer, ["a": .notStarted, "b": .notStarted], after: []).broken.isEmpty)
    #expect(
      trial(answer, ["a": .notStarted, "b": .notStarted], after: ["a"]).broken.count == 1)
  }

  @Test func `stopping after a package does it and those before it, and nothing else`() {
    let answer = AbortDisposition.accepted(stopsAfter: "b")
    let steps: KeyValuePairs<String, OperationResultCode> = [
      "a": .succeeded, "b": .succeeded, "c": .notStarted,
    ]
    #expect(trial(answer, steps, after: ["a", "b"]).broken.isEmpty)
    #expect(trial(answer, steps, after: ["a"]).broken.count == 1, "it stopped too early")
    #expect(trial(answer, steps, after: ["a", "b", "c"]).broken.count == 1, "it went on")
    #expect(trial(answer, steps, code: .succeeded, after: ["a", "b"]).broken.count == 1)
    #expect(trial(.accepted(stopsAfter: "z"), steps, after: ["a", "b"]).broken.count == 1)
  }

  @Test func `an answer that the job does not carry is none`() {
    var trial = trial(.accepted(stopsAfter: nil), ["a": .notStarted], after: [])
    trial.job.abort = nil
    #expect(trial.broken.count == 1)
  }

  @Test(
    arguments: [
      AbortDisposition.refused(reason: .finalStep("a")),
      .refused(reason: AbortRefusal(.verifying, "")), .alreadyCompleted,
    ])
  func `what is refused or over goes through to its end`(answer: AbortDisposition) {
    #expect(trial(answer, ["a": .succeeded], code: .succeeded, after: ["a"]).broken.isEmpty)
    #expect(!trial(answer, ["a": .notStarted], after: []).broken.isEmpty)
  }

  @Test func `a refusal for want of room is a promise broken`() {
    let answer = AbortDisposition.refused(reason: AbortRefusal(.undeliverable, "no space"))
    #expect(trial(answer, ["a": .succeeded], code: .succeeded, after: ["a"]).broken.count == 1)
  }

  @Test func `figures name every promise and how long the waits were`() throws {
    var tally = AbortTally()
    tally.broken = [0, 0, 2]
    tally.audits = [0, 0, 0]
    tally.waits = [100, 300, 200]
    tally.answerTimes = [1, 2, 3]
    let figures = tally.figures("aborts", wanted: 3, seed: 7)
    func value(_ name: String) throws -> Double {
      try #require(figures.first { $0.name == name }).value
    }
    #expect(try value("aborts") == 3)
    #expect(try value("dispositions that came true") == 2)
    #expect(try value("promises broken") == 1)
    #expect(try value("request to end of an accepted abort, p50") == 200)
    #expect(try value("request to end of an accepted abort, max") == 300)
    #expect(figures.first { $0.name == "promises broken" }?.isReached == false)
  }
}
