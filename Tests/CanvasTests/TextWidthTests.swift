import Canvas
import Glibc
import Testing

@Suite struct `Text width` {
  /// `wcwidth` of the machine, which the module map of the C library hides.
  private typealias Measure = @convention(c) (wchar_t) -> CInt

  @Test func `agrees with wcwidth over the first two planes`() throws {
    let locale = try unsafe #require(newlocale(LC_CTYPE_MASK, "C.UTF-8", nil))
    let previous = unsafe uselocale(locale)
    defer {
      unsafe uselocale(previous)
      unsafe freelocale(locale)
    }
    let symbol = try unsafe #require(dlsym(nil, "wcwidth"))
    let wcwidth = unsafe unsafeBitCast(symbol, to: Measure.self)
    try #require(wcwidth(0x4E00) == 2, "the locale was not taken")
    var known = 0
    var onlyOne = 0
    var different: [UInt32] = []
    for value in UInt32(0)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let machine = wcwidth(wchar_t(bitPattern: value))
      // What only one of the two knows is of another version of Unicode.
      let ours = TextWidth.of(scalar)
      guard machine >= 0, let ours else {
        if machine >= 0 || ours != nil { onlyOne += 1 }
        continue
      }
      known += 1
      if ours != Int(machine) { different.append(value) }
    }
    #expect(different.isEmpty)
    #expect(known > 80_000)
    #expect(onlyOne < 12_000)
  }

  @Test(
    arguments: [
      ("a", 1), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("ｱ", 1), ("🏷", 1), ("⏳", 2), ("─", 1),
      ("✓", 1), ("⧗", 1), ("∙", 1), ("▸", 1), ("⊘", 1), ("↺", 1), ("✗", 1), ("…", 1), ("", 0),
      ("한국", 4), ("\u{1100}\u{1161}", 2), ("👨‍👩‍👧", 6), ("❤️", 1), ("👍🏽", 2), ("a\tb", 3),
    ])
  func `counts the columns of text`(text: String, columns: Int) {
    #expect(TextWidth.columns(text) == columns)
  }

  @Test func `controls and unassigned scalars have no width`() {
    for scalar: Unicode.Scalar in ["\u{1B}", "\u{7F}", "\u{9B}", "\u{0378}", "\u{10FFFF}"] {
      #expect(TextWidth.of(scalar) == nil)
    }
    #expect(TextWidth.of("\u{0}") == 0)
  }
}
