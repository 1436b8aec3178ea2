import Testing

@testable import Bench

@Suite struct `Statistics` {
  @Test(arguments: [
    ([3.0], 3.0), ([4.0, 1.0], 2.5), ([9.0, 1.0, 4.0], 4.0), ([9.0, 1.0, 4.0, 2.0], 3.0),
  ])
  func `the median is the middle, or the mean of the two in the middle`(
    samples: [Double], median: Double
  ) {
    #expect(samples.median == median)
  }

  @Test func `nothing has neither median nor mean nor percentile`() {
    #expect([Double]().median == nil)
    #expect([Double]().mean == nil)
    #expect([Double]().percentile(0.95) == nil)
  }

  @Test(arguments: [(0.0, 1.0), (0.5, 10), (0.95, 19), (0.951, 20), (1, 20)])
  func `a percentile is a sample that was measured`(share: Double, value: Double) {
    #expect((1...20).map(Double.init).reversed().percentile(share) == value)
  }

  @Test func `one sample is every percentile`() {
    #expect([7.0].percentile(0.5) == 7)
    #expect([7.0].percentile(0.95) == 7)
  }

  @Test func `ratios are made pair by pair, and a pair without the other has none`() {
    var pairs = PairedSamples()
    pairs.add(ours: 10, theirs: 20)
    pairs.add(ours: 10, theirs: 0)
    pairs.add(ours: 300, theirs: 100)
    #expect(pairs.ratios == [0.5, 3])
  }
}
