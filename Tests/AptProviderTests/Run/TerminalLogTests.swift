import Support
import Testing

@testable import AptProvider

@Suite struct `apt's terminal log` {
  private static let printed = """
    Reading package lists...
    The following NEW packages will be installed:
      a
    Selecting previously unselected package a.
    (Reading database ... 10 files and directories currently installed.)
    Preparing to unpack .../a_1.0_all.deb ...
    Setting up a (1.0) ...
    E: what a script says
    dpkg: error processing archive /state/c_1.0_all.deb (--unpack):
     subprocess dpkg-split returned error exit status 75
    dpkg: too many errors, stopping
    Errors were encountered while processing:
     /state/c_1.0_all.deb
    Processing was halted because there were too many errors.
    E: Sub-process /bin/sh returned an error code (1)
    fettle: stopped here as requested; the rest was not begun
    Processing triggers for b (2.0) ...

    """
  private static let text = """
    Selecting previously unselected package a.
    (Reading database ... 10 files and directories currently installed.)
    Preparing to unpack .../a_1.0_all.deb ...
    Setting up a (1.0) ...
    E: what a script says
    Processing triggers for b (2.0) ...

    """

  private let folder: ScratchFolder
  private let term: String
  private let log: String

  init() throws {
    folder = try ScratchFolder()
    try TestFolder.makeFolder(folder.path("var/lib/dpkg"))
    try TestFolder.makeFolder(folder.path("var/log/apt"))
    term = folder.path("var/log/apt/term.log")
    log = folder.path("log")
  }

  private func entry(_ text: String = "") -> String {
    "\nLog started: 2026-01-01  10:00:00\n\(text)Log ended: 2026-01-01  10:00:01\n"
  }

  /// What the file has after apt has written `entry` behind `before`.
  private func completed(_ before: String, _ entry: String, printed: String) throws -> String? {
    try TestFolder.write(before, to: term)
    try TestFolder.write("earlier\n", to: log)
    let terminal = TerminalLog(adminDirectory: folder.path("var/lib/dpkg"), log: log)
    try TestFolder.write(before + entry, to: term)
    try TestFolder.write("earlier\n" + printed, to: log)
    #expect(terminal.complete())
    return TestFolder.text(of: term)
  }

  @Test(arguments: ["", "\nLog started: long ago\nLog ended: long ago\n"])
  func `gets what dpkg has printed, between beginning and end of the entry`(before: String) throws {
    #expect(try completed(before, entry(), printed: Self.printed) == before + entry(Self.text))
  }

  @Test func `stays as it is where apt had a terminal, or another program writes`() throws {
    for own in [entry("Setting up a (1.0) ...\n"), "something else\n", ""] {
      #expect(try completed("", own, printed: Self.printed) == own)
    }
  }

  @Test func `keeps what dpkg says of a failure`() {
    let text = """
      Setting up a (1.0) ...
      dpkg: error processing package a (--configure):
       installed a package post-installation script subprocess returned error exit status 1
      Errors were encountered while processing:
       a

      """
    #expect(TerminalLog.dpkgText(in: text) == text)
  }

  @Test func `stays as it is where dpkg has printed nothing`() throws {
    #expect(try completed("", entry(), printed: "Reading package lists...\n") == entry())
  }
}
