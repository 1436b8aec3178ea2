import Testing

@testable import fettle

struct FramePaceTests {
  @Test(arguments: [(nil, 100), (1, 1_000), (20, 50), (0, 1_000), (99, 50)] as [(Int?, Int)])
  func `frames that nobody waits for keep the rate of the settings`(rate: Int?, interval: Int) {
    #expect(FramePace(rate: rate).interval(at: .now) == .milliseconds(interval))
  }

  @Test func `a write that was blocked halves the rate for five seconds`() {
    var pace = FramePace(rate: 10)
    let now = ContinuousClock.now
    pace.wrote(in: .milliseconds(50), at: now)
    #expect(pace.interval(at: now) == .milliseconds(100))
    pace.wrote(in: .milliseconds(51), at: now)
    #expect(pace.interval(at: now) == .milliseconds(200))
    pace.wrote(in: .zero, at: now + .seconds(1))
    #expect(pace.interval(at: now + .milliseconds(4_999)) == .milliseconds(200))
    #expect(pace.interval(at: now + .seconds(5)) == .milliseconds(100))
  }
}
