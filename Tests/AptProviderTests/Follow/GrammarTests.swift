import AptProvider
import Testing

@Suite struct `The status grammar` {
  @Test(arguments: [
    ("status: alpha: installed", DpkgStatusLine.state(package: .init("alpha"), .installed)),
    (
      "status: libfoo:i386: half-configured",
      .state(package: .init("libfoo", architecture: "i386"), .halfConfigured)
    ),
    ("processing: trigproc: man-db", .processing(.triggers, package: .init("man-db"))),
    (
      "processing: install: libfoo:amd64",
      .processing(.install, package: .init("libfoo", architecture: "amd64"))
    ),
    (
      "status: /a b/x_1%3a2_all.deb : error : cannot: open : error : twice",
      .error(subject: "/a b/x_1%3a2_all.deb", text: "cannot: open : error : twice")
    ),
    ("status: alpha : error : ", .error(subject: "alpha", text: "")),
    (
      "status: /etc/a: b.ini : conffile-prompt : '/etc/old' '/etc/new' 1 1 ",
      .conffilePrompt(path: "/etc/a: b.ini")
    ),
  ])
  func `dpkg's lines are read by their two separators`(line: String, value: DpkgStatusLine) {
    #expect(DpkgStatusLine(line) == value)
  }

  @Test(arguments: [
    "", "status:", "status: ", "status: alpha", "status: alpha: flying", "processing: alpha",
    "processing: dance: alpha", "processing: install: ", "hello", "status: a b: installed",
    "status: : installed",
  ])
  func `other lines are no status`(line: String) { #expect(DpkgStatusLine(line) == nil) }

  @Test func `no input makes a parser fail`() {
    var random = Lines(state: 7)
    for _ in 0..<20_000 {
      let line = random.line()
      if case .state(let package, _)? = DpkgStatusLine(line) { #expect(!package.name.isEmpty) }
    }
  }
}

/// Lines made of the grammar's own pieces in every order, the same ones in each run.
private struct Lines {
  var state: UInt64
  private static let pieces = [
    "status: ", "processing: ", " : error : ", " : conffile-prompt : ", ": ", ":", "alpha",
    "installed", "install", "pmstatus:", "33.3333", "é", "\u{0}", "'", " ", "media-change: ", "%3a",
  ]

  mutating func line() -> String {
    var line = ""
    for _ in 0...(next() % 8) { line += Self.pieces[Int(next() % UInt64(Self.pieces.count))] }
    return line
  }

  private mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
