import FoundationEssentials
import Testing

@testable import Bench

@Suite struct `Figures` {
  private func json(_ figure: Figure?) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(try #require(figure)), as: UTF8.self)
  }

  @Test func `the JSON has every field of the contract`() throws {
    let figure = Figure(
      "install", "wall against apt-get", [1.12, 1.03, 1.07], unit: "ratio", target: 1.1,
      peer: "apt-get 2.6.1")
    #expect(
      try json(figure) == """
        {"better":"lower","figure":"wall against apt-get","note":null,"peer":"apt-get 2.6.1",\
        "reached":true,"samples":3,"section":"install","spread":[1.03,1.12],"target":1.1,\
        "unit":"ratio","value":1.07}
        """)
  }

  @Test func `what is absent is null`() throws {
    let figure = Figure("a", "b", [2], unit: "ms", note: "load")
    #expect(
      try json(figure) == """
        {"better":"lower","figure":"b","note":"load","peer":null,"reached":null,"samples":1,\
        "section":"a","spread":null,"target":null,"unit":"ms","value":2}
        """)
  }

  @Test(
    arguments: [
      (10.0, Figure.Better.lower, true), (10.1, .lower, false), (9.9, .higher, false),
      (10, .higher, true),
    ])
  func `a target is reached from the side that is good`(
    value: Double, better: Figure.Better, isReached: Bool
  ) {
    #expect(
      Figure("a", "b", [value], unit: "ms", target: 10, better: better)?.isReached == isReached)
  }

  @Test func `nothing measured is no figure`() {
    #expect(Figure("a", "b", [], unit: "ms") == nil)
  }

  @Test(
    arguments: [
      (0.0, "0"), (0.934, "0.93"), (0.004, "0.00"), (1.05, "1.05"), (12.34, "12.3"),
      (9.999, "10.00"), (1754.2, "1754"), (3, "3"), (-0.5, "-0.50"),
    ])
  func `the table shows the digits that count`(value: Double, text: String) {
    #expect(FigureTable.text(value) == text)
  }

  @Test func `the table says what was missed and by which peer`() throws {
    let missed = try #require(
      Figure("monitor", "memory", [25], unit: "MB", target: 20, note: "resident"))
    let ratio = try #require(
      Figure("monitor", "frame", [0.5, 0.7], unit: "ratio", target: 1, peer: "htop 3"))
    #expect(
      FigureTable(figures: [missed, ratio]).lines == [
        "monitor                 value    target  reached  samples  spread",
        "  memory                25 MB      ≤ 20  NO       1        –",
        "      resident",
        "  frame (htop 3)         0.60       ≤ 1  yes      2        0.50…0.70",
      ])
  }
}
