import Canvas
import Testing

@Suite struct `Bars` {
  @Test(
    arguments: [
      (0.0, "──────────"), (0.0001, "▏─────────"), (0.18, "█▊────────"), (0.37, "███▋──────"),
      (0.5, "█████─────"), (0.61, "██████────"), (0.999_999, "█████████▉"), (1.0, "██████████"),
      (1.5, "██████████"), (-1, "──────────"), (.nan, "──────────"),
    ])
  func `measured work is drawn in eighths and rounded down`(share: Double, text: String) {
    #expect(Bar(.measured(share), columns: 10).text == text)
  }

  @Test(
    arguments: [
      (Bar(.measured(0.55), columns: 4, level: .half), "██──"),
      (Bar(.measured(0.65), columns: 4, level: .half), "██▌─"),
      (Bar(.measured(0.01), columns: 4, level: .half), "▌───"),
      (Bar(.measured(0), columns: 9, level: .ascii), "[-------]"),
      (Bar(.measured(0), columns: 9, level: .ascii, started: true), "[>------]"),
      (Bar(.measured(0.45), columns: 9, level: .ascii), "[###>---]"),
      (Bar(.measured(0.9999), columns: 9, level: .ascii), "[######>]"),
      (Bar(.measured(1), columns: 9, level: .ascii), "[#######]"),
      (Bar(.measured(0.5), columns: 2, level: .ascii), "#>"),
      (Bar(.measured(0), columns: 4, started: true), "▏───"),
      (Bar(.stepped(done: 2, of: 4), columns: 10), "█████─────"),
      (Bar(.stepped(done: 1, of: 4), columns: 10), "███───────"),
      (Bar(.stepped(done: 1, of: 400), columns: 10), "█─────────"),
      (Bar(.stepped(done: 0, of: 4), columns: 4), "────"),
      (Bar(.stepped(done: 399, of: 400), columns: 10), "█████████─"),
      (Bar(.stepped(done: 4, of: 4), columns: 4), "████"),
      (Bar(.stepped(done: 3, of: 0), columns: 4), "█───"),
      (Bar(.stepped(done: .max - 1, of: .max), columns: 4), "███─"),
      (Bar(.stepped(done: 1, of: 4), columns: 10, level: .ascii), "[##>-----]"),
      (Bar(.unknown(tick: nil), columns: 5), "     "),
      (Bar(.unknown(tick: 0), columns: 5), "███──"),
      (Bar(.unknown(tick: 2), columns: 5), "──███"),
      (Bar(.unknown(tick: 3), columns: 5), "─███─"),
      (Bar(.unknown(tick: 4), columns: 5), "███──"),
      (Bar(.unknown(tick: .min), columns: 5), "███──"),
      (Bar(.unknown(tick: 1), columns: 2), "██"),
      (Bar(.unknown(tick: 1), columns: 7, level: .ascii), "[-###-]"),
      (Bar(.measured(1), columns: 0), ""),
      (Bar(.measured(0.5), columns: -3), ""),
    ])
  func `each kind and level has its own drawing`(bar: Bar, text: String) {
    #expect(bar.text == text)
  }

  @Test(arguments: BlockLevel.allCases)
  func `a bar is never full below 100 percent, never goes back and keeps its width`(
    level: BlockLevel
  ) {
    for columns in 1...30 {
      let full = Bar(.measured(1), columns: columns, level: level).pieces
      var before = -1
      for thousandth in 0..<1_000 {
        let pieces = Bar(
          .measured(Double(thousandth) / 1_000), columns: columns, level: level
        ).pieces
        #expect(pieces.count == columns)
        #expect(pieces != full)
        let filled = pieces.count { $0.part == .fill }
        #expect(filled >= before)
        before = filled
      }
      let almost = Bar(.measured(1.0.nextDown), columns: columns, level: level)
      #expect(almost.pieces != full)
      #expect(Bar(.stepped(done: 9_999, of: 10_000), columns: columns, level: level).pieces != full)
    }
  }

  @Test func `a bar is drawn in its styles and clipped`() {
    var canvas = Canvas(size: Size(columns: 6, rows: 1))
    let fill = Style(foreground: .indexed(1))
    let track = Style(foreground: .indexed(2))
    canvas.draw(
      Bar(.measured(0.5), columns: 4), at: Point(column: -1, row: 0), fill: fill, track: track)
    canvas.draw(
      Bar(.measured(0.5), columns: 9, level: .ascii), at: Point(column: 3, row: 0), fill: fill,
      track: track, cap: .plain, clippedTo: Rect(column: 0, row: 0, columns: 5, rows: 1))
    #expect(canvas.text == "█──[#\n")
    #expect(canvas.attributeLayer().rows == ["abb.a"])
  }
}

@Suite struct `Sparklines` {
  @Test(
    arguments: [
      (Sparkline([0, 1, 2, 3, 4, 5, 6, 7], columns: 8), "▁▂▃▄▅▆▇█"),
      (Sparkline([5, 5], columns: 4), "··██"),
      (Sparkline([nil, 8, nil, 4], columns: 4), "·█·▅"),
      (Sparkline([100, 1, 2], columns: 2), "▅█"),
      (Sparkline([0, 0], columns: 2), "▁▁"),
      (Sparkline([], columns: 3), "···"),
      (Sparkline([0, 2, 4, 6, 8, nil], columns: 6, level: .ascii), "_.-=# "),
      (Sparkline([.nan, .infinity, -3, 1], columns: 4), "··▁█"),
    ])
  func `samples are drawn against the largest one shown`(sparkline: Sparkline, text: String) {
    #expect(sparkline.text == text)
  }

  @Test func `the scale is the largest sample shown`() {
    #expect(Sparkline([100, 1, 2, nil], columns: 3).scale == 2)
    #expect(Sparkline([], columns: 3).scale == 0)
  }
}
