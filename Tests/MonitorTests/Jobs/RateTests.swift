import InstallJobs
import Testing

@testable import Monitor

@Suite struct Rates {
  @Test func `a sample is the highest of its five seconds, silence is a gap`() {
    var rates = RateHistory()
    for (seconds, rate) in [(0.0, 10), (2, 30), (4, 20), (5, 5), (21, 7), (20, 9)] {
      rates.record(rate, at: Scene.at(seconds))
    }
    #expect(rates.samples == [30, 5, nil, nil, 9])
  }

  @Test func `a long silence and a clock that jumps leave a bounded history`() {
    var rates = RateHistory()
    rates.record(1, at: Scene.at(0))
    rates.record(2, at: Scene.at(1_000_000_000))
    rates.record(3, at: Scene.at(-5000))
    #expect(rates.samples.count == RateHistory.capacity)
    #expect(rates.samples.last == 3)
  }
}
