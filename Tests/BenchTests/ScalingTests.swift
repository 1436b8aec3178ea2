import InstallJobs
import Testing

@testable import Bench

@Suite struct `Names that are told apart on a screen` {
  @Test func `no letter of a mark stays where the mark before had it`() {
    for number in 1..<200 {
      let (old, new) = (StatusMark.word(number - 1), StatusMark.word(number))
      #expect(zip(old, new).allSatisfy { $0 != $1 })
    }
  }

  @Test func `half of a word tells one mark from all others`() {
    let parts = (0..<200).flatMap { Set(StatusMark.parts(of: StatusMark.word($0))) }
    #expect(Set(parts).count == parts.count)
    #expect(StatusMark.parts(of: "abcdef") == ["abc", "bcd", "cde", "def"])
  }

  @Test func `packages of the crowd have no letter, and no two packages one name`() {
    let load = LatencyLoad(.full)
    let names = load.recipes.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(load.crowd(of: 3).allSatisfy { !$0.contains { $0.isLetter } })
    let marks = load.alone + load.bursts
    #expect(
      names.count == 2 + marks * (1 + LatencyLoad.spacing) + load.bursts * LatencyLoad.crowd)
  }

  @Test func `a burst has the lines of ten thousand a second`() {
    let lines = LatencyLoad(.full).crowd(of: 0).flatMap { StatusMark.lines($0) }
    #expect(Double(lines.count) / LatencyLoad.interval.seconds == 10_000)
  }
}

@Suite struct `Sizes that are compared` {
  @Test func `a size that is slower misses its target, one that was not measured has none`() {
    var figures = ScaleFigures(of: "jobs")
    figures.add("time", at: 1_000, [1, 1, 1], unit: "ms")
    figures.add("time", at: 100_000, [1.2, 1.5, 1.6], unit: "ms")
    figures.compare("time", 100_000, with: 1_000, target: 1.3)
    figures.compare("time", 10_000, with: 1_000, target: 1.3)
    #expect(figures.figures.count == 3)
    #expect(figures.figures.last?.value == 1.5 && figures.figures.last?.isReached == false)
  }
}
