import Testing
import ThemeCatalog

@Suite struct `Choosing the colour level` {
  @Test(
    arguments: [
      (ColorEvidence(term: "xterm-256color", terminfoColors: 256), ColorLevel.indexed256),
      (ColorEvidence(term: "xterm", terminfoColors: 8), .ansi16),
      (ColorEvidence(term: "rxvt-16color", terminfoColors: 16), .ansi16),
      (ColorEvidence(term: "urxvt", terminfoColors: 88), .ansi16),
      (ColorEvidence(term: "vt100", terminfoColors: -1), .mono),
      (ColorEvidence(term: "vt100", terminfoColors: 0), .mono),
      (ColorEvidence(noColor: "1", term: "xterm-256color", terminfoColors: 256), .mono),
      (ColorEvidence(noColor: "", term: "xterm-256color", terminfoColors: 256), .indexed256),
      (
        ColorEvidence(choice: .ansi16, noColor: "1", term: "xterm", terminfoColors: 256), .ansi16
      ),
      (ColorEvidence(choice: .never, term: "xterm-256color", terminfoColors: 256), .mono),
      (ColorEvidence(choice: .indexed256, term: "xterm", terminfoColors: 8), .ansi16),
      (ColorEvidence(choice: .indexed256, term: "vt100", terminfoColors: 0), .mono),
      (
        ColorEvidence(
          term: "xterm-256color", colorTerm: "truecolor", terminfoColors: 256,
          hasDirectColor: true), .indexed256
      ),
      (
        ColorEvidence(
          choice: .truecolor, term: "xterm-256color", colorTerm: "truecolor",
          terminfoColors: 256, hasDirectColor: true), .truecolor
      ),
      (
        ColorEvidence(
          choice: .truecolor, term: "xterm-256color", colorTerm: "24bit",
          terminfoColors: 256, hasDirectColor: false), .indexed256
      ),
      (
        ColorEvidence(
          choice: .truecolor, term: "xterm-256color", terminfoColors: 256,
          hasDirectColor: true), .indexed256
      ),
      (
        ColorEvidence(
          choice: .truecolor, term: "xterm-direct", terminfoColors: 16_777_216,
          hasDirectColor: true), .truecolor
      ),
      (ColorEvidence(choice: .truecolor, term: "dumb", terminfoColors: 256), .mono),
    ])
  func `the flag goes first, then NO_COLOR, then the terminal's entry`(
    evidence: ColorEvidence, level: ColorLevel
  ) {
    #expect(evidence.level == level)
  }

  @Test(
    arguments: [
      (["TERM": "xterm-256color"], ColorChoice.auto, ColorLevel.indexed256),
      (["TERM": "xterm"], .auto, .ansi16), (["TERM": "vt220"], .auto, .mono),
      ([:], .auto, .mono), (["TERM": "dumb", "COLORTERM": "truecolor"], .truecolor, .mono),
      (["TERM": "xterm-256color", "NO_COLOR": "1"], .auto, .mono),
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .auto, .indexed256),
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .truecolor, .truecolor),
      (["TERM": "xterm-256color"], .truecolor, .indexed256),
    ] as [([String: String], ColorChoice, ColorLevel)])
  func `lines outside of the monitor go by the terminal's name`(
    environment: [String: String], choice: ColorChoice, level: ColorLevel
  ) {
    #expect(ColorEvidence(linesOf: choice, environment: environment).level == level)
  }
}
