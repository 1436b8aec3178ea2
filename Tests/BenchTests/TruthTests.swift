import Testing

@testable import Bench

@Suite struct `How true a bar is` {
  private func shown(
    _ readings: [(Double, Double, Double?)], length: Double
  ) -> ShownProgress {
    ShownProgress(
      readings.map { ShownProgress.Reading(at: $0.0, percent: $0.1, left: $0.2) }, length: length)
  }

  private func near(_ value: Double?, _ wanted: Double) -> Bool {
    value.map { abs($0 - wanted) < 0.2 } ?? false
  }

  @Test func `a bar that follows the time is true, and so is its end`() {
    let readings = (0...1_000).map { step in
      let at = Double(step) / 100
      return ShownProgress.Reading(at: at, percent: at * 10, left: 10 - at)
    }
    let progress = ShownProgress(readings, length: 10)
    #expect(near(progress.errors.mean, 0) && near(progress.errors.max(), 0))
    #expect(near(progress.errorsOfEnd.mean, 0) && progress.shareWithEnd == 100)
  }

  @Test func `a bar that stands at nothing is wrong by a half, at worst by all`() {
    let progress = shown([], length: 8)
    #expect(near(progress.errors.mean, 50) && near(progress.errors.max(), 100))
    #expect(progress.errorsOfEnd.isEmpty && progress.shareWithEnd == 0)
  }

  @Test func `what is shown stands until something else is told`() {
    // Half of the time at 0, then at 100: wrong by a quarter of the whole in either half.
    let progress = shown([(5, 100, nil)], length: 10)
    #expect(near(progress.errors.mean, 25) && near(progress.errors.max(), 50))
  }

  @Test func `an end is judged where one was said, by the length of the run`() {
    // Said at the half: two seconds left, where five were; it stays on the screen to the end.
    let progress = shown([(5, 50, 2), (9, 90, nil)], length: 10)
    #expect(near(progress.shareWithEnd, 40))
    #expect(near(progress.errorsOfEnd.max(), 30))
  }

  @Test func `a run of no length has no errors`() {
    #expect(shown([], length: 0).errors.isEmpty)
  }

  @Test(arguments: [
    ("dlstatus:1:12.5:Retrieving file 1 of 3", AptProgress.Line(part: .download, percent: 12.5)),
    ("dlstatus:1:0:Retrieving", .init(part: .download, percent: 0)),
    ("pmstatus:libc6:33.3333:Unpacking libc6:amd64", .init(part: .packages, percent: 33.3333)),
    ("pmstatus:libc6:amd64:40.5000:Setting up", .init(part: .packages, percent: 40.5)),
    ("pmerror:a:1.0:text", nil), ("pmstatus:a", nil), ("", nil),
  ])
  func `a line of apt says which bar and how far`(text: String, line: AptProgress.Line?) {
    #expect(AptProgress.Line(text) == line)
  }

  @Test func `apt's bar begins anew, and is also judged bar by bar`() {
    // Two seconds of download and eight of packages, each bar true in its own time.
    var lines: [AptProgress.Told] = []
    for step in 0..<200 {
      let line = AptProgress.Line(part: .download, percent: Double(step) / 2)
      lines.append(AptProgress.Told(at: Double(step) / 100, line: line))
    }
    for step in 0..<800 {
      let line = AptProgress.Line(part: .packages, percent: Double(step) / 8)
      lines.append(AptProgress.Told(at: 2 + Double(step) / 100, line: line))
    }
    let progress = AptProgress(lines, length: 10)
    #expect(near(progress.errorsOfEachBar.mean, 0))
    // Wrong by up to 80 % when the download ends, by up to 20 when the packages begin.
    #expect((79...80).contains(progress.asSeen.errors.max() ?? 0))
    #expect(near(progress.asSeen.errors.mean, 16))
  }

  @Test func `ours misses its target when it is worse than half of apt's`() throws {
    let steps = (0...100).map { step in
      ShownProgress.Reading(at: Double(step) / 10, percent: Double(step))
    }
    let stuck = AptProgress(
      [.init(at: 0, line: .init(part: .packages, percent: 0))], length: 10)
    func reached(_ ours: ShownProgress) throws -> Bool? {
      let figures = TruthOutcome(ours: [ours], theirs: [stuck])
        .figures("truth", peer: "apt-get 2", note: "")
      return try #require(figures.first { $0.unit == "ratio" }).isReached
    }
    #expect(try reached(ShownProgress(steps, length: 10)) == true)
    #expect(try reached(shown([], length: 10)) == false)
  }
}
