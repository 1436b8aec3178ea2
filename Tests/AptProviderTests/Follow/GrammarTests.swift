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

  @Test(arguments: [
    ("dlstatus:1:20.0000:Retrieving file 1 of 2", AptStatusLine.download),
    ("pmstatus:alpha:33.3333:Unpacking alpha (amd64)", .work(package: "alpha")),
    ("pmstatus:dpkg-exec:0.0000:Running dpkg", .work(package: "dpkg-exec")),
    (
      "pmerror:libfoo:i386:66.6667:failed: 12.0000: so",
      .error(
        subject: "libfoo:i386", text: "failed: 12.0000: so")
    ),
    (
      "pmerror:/a/x_1%3a2_all.deb:5.0000:trying",
      .error(
        subject: "/a/x_1%3a2_all.deb", text: "trying")
    ),
    ("pmconffile:/etc/a.ini:5.0000:'x' 'y' 1 1", .conffile(path: "/etc/a.ini")),
    (
      "media-change: Disc 2:/media/cdrom:Please insert: now",
      .mediaChange(
        medium: "Disc 2", drive: "/media/cdrom")
    ),
  ])
  func `apt's lines are read around their percentage`(line: String, value: AptStatusLine) {
    #expect(AptStatusLine(line) == value)
  }

  @Test(arguments: [
    "", "dlstatus", "dlstatus:1:20:x", "pmstatus:alpha:33.33:x", "pmstatus:alpha:a.3333:x",
    "other:alpha:33.3333:x", "media-change: x", "pmerror:33.3333",
  ])
  func `other lines are not apt's`(line: String) { #expect(AptStatusLine(line) == nil) }

  @Test func `no input makes a parser fail`() {
    var random = Lines(state: 7)
    for _ in 0..<20_000 {
      let line = random.line()
      if case .state(let package, _)? = DpkgStatusLine(line) { #expect(!package.name.isEmpty) }
      if case .work(let package)? = AptStatusLine(line) { #expect(!package.contains("\n")) }
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
