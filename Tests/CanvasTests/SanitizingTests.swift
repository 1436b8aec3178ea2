import Canvas
import Testing

@Suite struct `Sanitising text` {
  @Test(
    arguments: [
      ("plain text", "plain text"),
      ("tab\there", "tab here"),
      ("two\r\nlines", "two lines"),
      ("\u{1B}[31mred\u{1B}[0m", "red"),
      ("\u{1B}[2J\u{1B}[1;1Hfaked", "faked"),
      ("\u{9B}31mred", "red"),
      ("\u{1B}]0;title\u{7}shown", "shown"),
      ("\u{1B}]52;c;ZWNobw==\u{1B}\\shown", "shown"),
      ("\u{9D}0;title\u{9C}shown", "shown"),
      ("\u{1B}Pq\u{1B}\\x", "x"),
      ("\u{1B}(0lqk", "lqk"),
      ("\u{1B}cx", "x"),
      ("\u{1B}", "\u{FFFD}"),
      ("\u{1B}[31", "\u{FFFD}[31"),
      ("\u{1B}]0;never ended", "\u{FFFD}]0;never ended"),
      ("\u{1B}\u{1B}[31mx", "\u{FFFD}x"),
      ("bell\u{7}", "bell\u{FFFD}"),
      ("nul\u{0}", "nul\u{FFFD}"),
      ("del\u{7F}", "del\u{FFFD}"),
      ("c1\u{84}", "c1\u{FFFD}"),
      ("safe\u{202E}gpj.exe", "safe\u{FFFD}gpj.exe"),
      ("\u{2066}x\u{2069}", "\u{FFFD}x\u{FFFD}"),
      ("a\u{200D}b\u{200B}c\u{FEFF}d\u{AD}e", "abcde"),
      ("\u{2764}\u{FE0F}", "\u{2764}"),
      ("tag\u{E0041}\u{E007F}", "tag"),
      ("\u{301}x", "\u{FFFD}x"),
      ("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}x", "e\u{301}\u{302}\u{303}\u{304}x"),
      ("e\u{200D}\u{301}", "e\u{301}"),
      ("\u{0378}", "\u{FFFD}"),
      ("\u{115F}\u{3164}", "\u{FFFD}\u{FFFD}"),
      ("line\u{2028}end", "line end"),
      ("\u{1F44D}\u{1F3FD}", "\u{1F44D}"),
      ("\u{1F44D}\u{1B}[m\u{1F3FD}", "\u{1F44D}\u{FFFD}"),
      ("\u{1F3FD}", "\u{FFFD}"),
    ])
  func `replaces or drops what must not reach a terminal`(text: String, safe: String) {
    // Compared by scalars: strings are equal under canonical equivalence.
    #expect(Array(sanitize(text).unicodeScalars) == Array(safe.unicodeScalars))
    #expect(sanitize(safe) == safe)
  }

  @Test func `invalid bytes become replacement characters`() {
    let text = Sanitized(utf8: [0x61, 0xFF, 0xC3, 0x62, 0xED, 0xA0, 0x80]).string
    #expect(text.hasPrefix("a\u{FFFD}\u{FFFD}b\u{FFFD}"))
    #expect(text.unicodeScalars.allSatisfy { $0 == "a" || $0 == "b" || $0 == "\u{FFFD}" })
  }

  @Test(arguments: 0..<UInt64(40))
  func `random hostile text never brings a control character into a canvas`(seed: UInt64) {
    var random = SplitMix(state: seed)
    let nasty: [ClosedRange<UInt32>] = [
      0...0x1F, 0x7F...0x9F, 0x300...0x36F, 0x1100...0x11FF, 0x200B...0x206F, 0xFE00...0xFE0F,
      0x20...0x7E, 0x4E00...0x4EFF, 0x1F300...0x1F9FF, 0xE0000...0xE007F, 0...0x10FFFF,
      0x5B...0x5D, 0x1B...0x1B,
    ]
    for _ in 0..<50 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        let range = nasty.randomElement(using: &random) ?? 0...0x1F
        if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) {
          scalars.append(scalar)
        }
      }
      let text = String(scalars)
      var canvas = Canvas(size: Size(columns: 20, rows: 3))
      let column = Int.random(in: -10...25, using: &random)
      canvas.draw(text, at: Point(column: column, row: 1))
      canvas.draw(
        text, at: Point(column: 0, row: 0), columns: 13,
        alignment: [.left, .right, .center].randomElement(using: &random) ?? .left)
      canvas.frame(Rect(column: 2, row: 0, columns: 14, rows: 3), title: text)
      expectSound(canvas)
      #expect(TextWidth.columns(truncated(text, to: 9)) <= 9)
      #expect(TextWidth.columns(padded(text, to: 9, alignment: .right)) == 9)
    }
  }
}

/// Every cell holds something a terminal may be given, and wide characters are whole.
func expectSound(_ canvas: Canvas, sourceLocation: SourceLocation = #_sourceLocation) {
  var faults: [String] = []
  for row in 0..<canvas.size.rows {
    for column in 0..<canvas.size.columns {
      let cell = canvas[Point(column: column, row: row)]
      let next =
        column + 1 < canvas.size.columns ? canvas[Point(column: column + 1, row: row)] : nil
      if cell.width == 0 {
        let before = column > 0 ? canvas[Point(column: column - 1, row: row)] : nil
        if before?.width != 2 { faults.append("half without its left at \(column),\(row)") }
        continue
      }
      if TextWidth.of(cell.base) != Int(cell.width) {
        faults.append("U+\(String(cell.base.value, radix: 16)) at \(column),\(row)")
      }
      if cell.width == 2 && next?.width != 0 {
        faults.append("half without its right at \(column),\(row)")
      }
      if cell.marks.count > 4 || cell.marks.contains(where: { TextWidth.of($0) != 0 }) {
        faults.append("marks at \(column),\(row)")
      }
      for scalar in [cell.base] + cell.marks {
        let properties = scalar.properties
        if properties.generalCategory == .control || properties.isBidiControl
          || properties.isJoinControl || properties.isVariationSelector
        {
          faults.append("U+\(String(scalar.value, radix: 16)) at \(column),\(row)")
        }
      }
    }
  }
  #expect(faults.isEmpty, sourceLocation: sourceLocation)
}

/// A small generator with a seed, so that a failure can be had again.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
