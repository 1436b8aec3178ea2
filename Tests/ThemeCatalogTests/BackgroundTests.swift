import Testing
import ThemeCatalog

@Suite struct `The terminal's background` {
  @Test(
    arguments: [
      ("\u{1B}]11;rgb:0000/2b2b/3636\u{07}", RGB(0, 0x2B, 0x36)),
      ("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\", RGB(255, 255, 255)),
      ("\u{9D}11;rgb:1e/1e/1e\u{9C}", RGB(0x1E, 0x1E, 0x1E)),
      ("11;rgb:fff/000/800", RGB(255, 0, 128)), ("rgb:f/0/8", RGB(255, 0, 136)),
      ("rgba:1e1e/1e1e/2e2e/ffff", RGB(0x1E, 0x1E, 0x2E)), ("#fdf6e3", RGB(0xFD, 0xF6, 0xE3)),
      ("#fff", RGB(255, 255, 255)), ("#000080000000", RGB(0, 128, 0)),
      ("RGB:0/0/0", nil), ("rgb:0/0", nil), ("rgb:0/0/0/0", nil), ("rgb:00000/0/0", nil),
      ("rgb://0", nil), ("rgb:g/0/0", nil), ("rgb:+1/0/0", nil), ("rgba:0/0/0", nil),
      ("#ff", nil), ("#ffff", nil), ("", nil), ("\u{1B}]11;", nil), ("\u{1B}\\", nil),
      (String(repeating: "0", count: 10_000), nil), ("rgb:٠/٠/٠", nil),
    ])
  func `its answer is read, and nothing else is taken for one`(text: String, color: RGB?) {
    #expect(RGB(terminalAnswer: text) == color)
  }

  @Test(
    arguments: [
      (BackgroundEvidence(), ThemeKind.neutral),
      (BackgroundEvidence(answer: RGB(0, 0, 0)), .dark),
      (BackgroundEvidence(answer: RGB(0, 0x2B, 0x36)), .dark),
      (BackgroundEvidence(answer: RGB(0xFD, 0xF6, 0xE3)), .light),
      (BackgroundEvidence(answer: RGB(117, 117, 117)), .dark),
      (BackgroundEvidence(answer: RGB(119, 119, 119)), .light),
      (BackgroundEvidence(answer: RGB(0, 0, 0), colorFGBG: "0;15"), .dark),
      (BackgroundEvidence(colorFGBG: "15;0"), .dark),
      (BackgroundEvidence(colorFGBG: "0;15"), .light),
      (BackgroundEvidence(colorFGBG: "0;default;7"), .light),
      (BackgroundEvidence(colorFGBG: "7;8"), .dark),
      (BackgroundEvidence(colorFGBG: "15;default"), .neutral),
      (BackgroundEvidence(colorFGBG: "0"), .neutral), (BackgroundEvidence(colorFGBG: ""), .neutral),
      (BackgroundEvidence(colorFGBG: "0;16"), .neutral),
      (BackgroundEvidence(colorFGBG: "0;-1"), .neutral),
    ])
  func `the answer goes before COLORFGBG, and what says nothing leaves neutral`(
    evidence: BackgroundEvidence, kind: ThemeKind
  ) {
    #expect(evidence.kind == kind)
  }

  @Test func `what was asked for is taken, whatever the background`() {
    let light = BackgroundEvidence(answer: RGB(255, 255, 255))
    #expect(light.theme(wanted: nil) == "light")
    #expect(light.theme(wanted: "auto") == "light")
    #expect(light.theme(wanted: "fjord") == "fjord")
    #expect(BackgroundEvidence(colorFGBG: "15;0").theme(wanted: nil) == "dark")
    #expect(BackgroundEvidence().theme(wanted: nil) == "neutral")
  }
}
