import Support
import Testing

@testable import InstallJobs

@Suite struct `What a step of a plan is done for` {
  /// Looks through the whole list, as often as it is asked.
  private func served(by step: Int, _ steps: [Int?]) -> [Int] {
    steps.indices.filter { steps[$0] == step }
  }

  private func workedOn(by step: Int, _ steps: [Int?]) -> Int? {
    let asked = steps.enumerated().compactMap { index, target in target.map { (index, $0) } }
    let later = asked.filter { $0.1 >= step }.min { $0.1 < $1.1 }
    return (later ?? asked.max { $0.1 < $1.1 })?.0
  }

  @Test(arguments: 1...40) func `C1: it is found as by a look through all that was asked for`(
    seed: UInt64
  ) {
    var random = RepeatableNumbers(seed: seed)
    let steps: [Int?] = (0..<Int.random(in: 0...30, using: &random)).map { _ in
      Bool.random(using: &random) ? Int.random(in: -2...20, using: &random) : nil
    }
    for list in [steps, steps.sorted { $0 ?? 0 < $1 ?? 0 }] {
      var positions = StepPositions()
      for step in -3...22 {
        #expect(positions.positions(of: step, in: list) == served(by: step, list))
        #expect(positions.position(servedBy: step, in: list) == workedOn(by: step, list))
      }
    }
  }

  @Test func `updates that are told of later are found, and the look-up is no part of the value`() {
    var job = `The JSON of jobs and events`.job
    let untouched = job
    #expect(job.updateIndex(workedOnBy: 1) == 0)
    #expect(job == untouched && job.hashValue == untouched.hashValue)
    job.updates.append(job.updates[0])
    job.updateSteps = [nil, 1]
    #expect(job.updateIndex(workedOnBy: 1) == 1)
    var status = job.updates[0]
    status.phase = .configuring
    job.apply(
      JobEvent(
        seq: 1, at: Timestamp(milliseconds: 0), job: job.id,
        payload: .update(index: 1, status: status)))
    #expect(job.updates[0].phase == .pending && job.updates[1].phase == .configuring)
  }
}
