import Testing

@testable import AptProvider

@Suite struct `apt's history after a stop` {
  private static let status = """
    Package: a
    Status: install ok installed
    Architecture: all
    Version: 1:2.0

    Package: b
    Status: deinstall ok config-files
    Architecture: amd64
    Version: 1.0

    Package: c
    Status: install ok unpacked
    Architecture: amd64
    Version: 3.0
    """

  @Test(arguments: [
    ("Install: a:amd64 (1:2.0, automatic), c:amd64 (3.0)", "Install: a:amd64 (1:2.0, automatic)"),
    ("Upgrade: a:amd64 (1.0, 1:2.0), c:amd64 (2.0, 3.0)", "Upgrade: a:amd64 (1.0, 1:2.0)"),
    ("Remove: b:amd64 (1.0), a:amd64 (1:2.0)", "Remove: b:amd64 (1.0)"),
    ("Purge: b:amd64 (1.0)", "Purge: b:amd64 (1.0)"),
    ("Reinstall: c:amd64 (3.0)", "Reinstall: c:amd64 (3.0)"),
    ("Install: a:i386 (2.0), something else", "Install: something else"),
    ("Commandline: apt-get install a", "Commandline: apt-get install a"),
  ])
  func `names what is done`(line: String, expected: String) {
    #expect(AptHistory.corrected(line, status: Self.status) == expected)
  }

  @Test func `has no line of the stop, nor a list without packages`() {
    let entry = """

      Start-Date: 2026-01-01  10:00:00
      Install: c:amd64 (3.0)
      Error: Sub-process /bin/sh returned an error code (1)
      End-Date: 2026-01-01  10:00:01

      """
    let expected = """

      Start-Date: 2026-01-01  10:00:00
      End-Date: 2026-01-01  10:00:01

      """
    #expect(AptHistory.corrected(entry, status: Self.status) == expected)
  }
}
