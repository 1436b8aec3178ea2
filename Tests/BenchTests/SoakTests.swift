import Testing

@testable import Bench

@Suite struct `Runs of an hour` {
  private func track(_ bytes: [Int]) -> MemoryTrack {
    var track = MemoryTrack()
    for (index, value) in bytes.enumerated() { track.note(value, at: .seconds(index + 1)) }
    return track
  }

  @Test func `growth is the last quarter against the second, by their medians`() {
    let flat = track([10, 90, 50, 50, 50, 50, 50, 50])
    #expect(flat.growth == 1)
    let growing = track([10, 20, 30, 40, 50, 60, 70, 80])
    #expect(growing.median(ofQuarter: 2) == 35)
    #expect(growing.growth == 75.0 / 35)
    #expect(MemoryTrack().growth == nil)
  }

  @Test func `a job that ended otherwise, a lost event or growth misses its target`() throws {
    var outcome = SoakOutcome()
    outcome.tallies["simulated"] = SoakLane.Tally(jobs: 2, wrong: [0, 1], lost: 3, doubled: 0)
    outcome.memory["engine"] = track([10, 20, 30, 40, 50, 60, 70, 80])
    func reached(_ isFull: Bool) -> [String: Bool] {
      let figures = outcome.figures(
        "soak", SoakPlan(.quick), audits: [0], seed: 1, isFull: isFull)
      return Dictionary(
        uniqueKeysWithValues: figures.compactMap { figure in
          figure.isReached.map { (figure.name, $0) }
        })
    }
    let full = reached(true)
    #expect(full["wrong results"] == false && full["lost events"] == false)
    #expect(full["doubled events"] == true && full["jobs"] == false)
    #expect(full["memory, last quarter against the second: engine"] == false)
    #expect(reached(false)["memory, last quarter against the second: engine"] == nil)
  }
}
