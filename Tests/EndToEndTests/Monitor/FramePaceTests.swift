import Testing

@testable import fettle

struct FramePaceTests {
  private static let start = ContinuousClock.now

  private static func at(_ milliseconds: Int) -> ContinuousClock.Instant {
    start + .milliseconds(milliseconds)
  }

  /// When so many frames are drawn, each as soon as it may be, with something new all the time.
  private static func moments(of count: Int, rate: Int?) -> [Duration] {
    var (pace, now) = (FramePace(rate: rate), start)
    var moments: [Duration] = []
    while moments.count < count {
      pace.recordChange(at: now)
      now += max(.milliseconds(1), pace.wait(at: now) ?? .zero)
      guard pace.wait(at: now) == .zero else { continue }
      pace.recordFrame(in: .zero, at: now)
      moments.append(now - start)
    }
    return moments
  }

  @Test(arguments: [(nil, 100), (1, 1_000), (20, 50), (0, 1_000), (99, 50)] as [(Int?, Int)])
  func `frames that nobody waits for keep the rate of the settings`(rate: Int?, interval: Int) {
    let moments = Self.moments(of: 40, rate: rate)
    for (first, last) in zip(moments, moments.dropFirst(10)) {
      #expect(last - first >= .milliseconds(interval * 10 - interval / 2))
    }
    #expect(moments[39] - moments[0] <= .milliseconds(interval * 39 + 30))
  }

  @Test func `a burst is one frame once it has come, and none waits longer for it than 30 ms`() {
    var pace = FramePace(rate: 10)
    #expect(pace.wait(at: Self.at(0)) == nil)
    for moment in 0..<20 { pace.recordChange(at: Self.at(moment)) }
    #expect(pace.wait(at: Self.at(20)) == .milliseconds(3))
    #expect(pace.wait(at: Self.at(23)) == .zero)
    for moment in 20..<40 { pace.recordChange(at: Self.at(moment)) }
    #expect(pace.wait(at: Self.at(30)) == .zero)
    pace.recordFrame(in: .zero, at: Self.at(30))
    #expect(pace.wait(at: Self.at(31)) == nil)
  }

  @Test func `a frame that was late delays none after it`() {
    var pace = FramePace(rate: 10)
    for (burst, drawn) in [(0, 4), (100, 140), (200, 204), (300, 304)] {
      pace.recordChange(at: Self.at(burst))
      #expect(pace.wait(at: Self.at(drawn)) == .zero)
      pace.recordFrame(in: .zero, at: Self.at(drawn))
    }
  }

  @Test func `a write that was blocked halves the rate for five seconds`() {
    func wait(afterWriteOf milliseconds: Int) -> Duration? {
      var pace = FramePace(rate: 10)
      for moment in [0, 100] {
        pace.recordChange(at: Self.at(moment))
        pace.recordFrame(in: moment == 0 ? .milliseconds(milliseconds) : .zero, at: Self.at(moment))
      }
      pace.recordChange(at: Self.at(101))
      return pace.wait(at: Self.at(101))
    }
    #expect(wait(afterWriteOf: 50) == .milliseconds(49))
    #expect(wait(afterWriteOf: 51) == .milliseconds(199))
    var pace = FramePace(rate: 10)
    pace.recordFrame(in: .milliseconds(51), at: Self.at(0))
    let later = Self.at(5_000)
    pace.recordFrame(in: .zero, at: later)
    pace.recordChange(at: later)
    #expect(pace.wait(at: later) == .milliseconds(50))
  }
}
