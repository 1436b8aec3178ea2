import InstallJobs
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `The end of a job beside requests to abort it` {
  @Test
  func `B4, B25, C12: progress, then completion once, however abort and end race, 1,000 times`()
    async throws
  {
    let fixture = try await EngineFixture.playing(.instant(3))
    var histories: [(calls: Recorder<String>, length: Int)] = []
    for round in 0..<1000 {
      let calls = Recorder<String>()
      var options = InstallationOptions()
      options.isForced = true
      let job = try await fixture.installer().beginInstallation(
        of: ["p1", "p2", "p3"].map { Update($0) }, options: options,
        onProgress: { _, _ in calls.note("progress") },
        onCompletion: { job in calls.note(await job.isCompleted ? "completed" : "too early") })
      for _ in 0..<(round % 20) { await Task.yield() }
      let disposition = try await job.requestAbort()
      let result = try await job.result
      try await job.cleanUp()
      #expect(calls.values.last == "completed")
      #expect(calls.values.count { $0 != "progress" } == 1)
      histories.append((calls, calls.values.count))
      switch disposition {
      case .accepted(let name, _):
        let undone = result.updateResults.contains { $0.code == .notStarted }
        #expect(result.code == (undone ? .aborted : .succeeded))
        if let name {
          let last = result.updateResults.last { $0.code == .succeeded }
          #expect(last?.name == name)
        }
      case .refused, .alreadyCompleted: #expect(result.code == .succeeded)
      }
    }
    #expect(histories.allSatisfy { $0.calls.values.count == $0.length }, "a call after the last")
  }
}
