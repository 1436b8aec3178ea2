import AptProvider
import Support
import Testing

@Suite struct `What a foreign dpkg does` {
  @Test(arguments: [
    // What dpkg adds to its log, and what it does by that.
    ([], nil),
    (["startup archives unpack"], nil),
    (["install a:all <none> 1", "status half-installed a:all 1"], "unpacks or removes a"),
    (
      [
        "status half-installed a:all 1", "status unpacked a:all 1",
        "status half-configured a:all 1",
      ],
      "configures a"
    ),
    (
      ["status unpacked a:all 1", "status installed a:all 1", "status half-configured b:all 1"],
      "configures b, 1 package done"
    ),
    // Unpacked by an earlier run, and before anybody listened.
    (
      ["configure a:all 1 <none>", "status half-configured a:all 1", "status installed a:all 1"],
      "is done with a, 1 package done"
    ),
    (
      ["remove a:all 1 <none>", "status half-configured a:all 1", "status config-files a:all 1"],
      "is done with a, 1 package done"
    ),
    // Triggers alone: nothing of the package is installed, however often it says so.
    (
      ["trigproc man:amd64 2 <none>", "status half-configured man:amd64 2"],
      "runs triggers of man"
    ),
    (
      [
        "status half-configured a:all 1", "status installed a:all 1",
        "trigproc man:amd64 2 <none>", "status half-configured man:amd64 2",
        "status installed man:amd64 2", "trigproc libc:amd64 2 <none>",
        "status half-configured libc:amd64 2", "status installed libc:amd64 2",
      ], "is done with libc, 1 package done"
    ),
    // Its own work first, its triggers after that: one package.
    (
      [
        "status half-configured a:all 1", "status installed a:all 1", "trigproc a:all 1 <none>",
        "status half-configured a:all 1", "status installed a:all 1",
      ], "is done with a, 1 package done"
    ),
    (
      [
        "trigproc a:all 1 <none>", "status half-configured a:all 1", "status installed a:all 1",
        "configure a:all 2 <none>", "status half-configured a:all 2", "status installed a:all 2",
      ], "is done with a, 1 package done"
    ),
    // Said without anything before it.
    (["status installed a:all 1"], "is done with a"),
  ])
  func `is told by the lines of its log`(lines: [String], words: String?) throws {
    let folder = try ScratchFolder()
    let log = folder.path("dpkg.log")
    let old = "2026-01-01 09:00:00 status unpacked old:all 1\n"
    try folder.write(old, to: "dpkg.log")
    var progress = ForeignProgress(log: log)
    try folder.write(
      old + lines.map { "2026-01-01 10:00:00 \($0)\n" }.joined(), to: "dpkg.log")
    #expect(progress.read() == words)
  }

  @Test func `begins anew with another holder`() throws {
    let folder = try ScratchFolder()
    let first =
      "2026-01-01 10:00:00 status unpacked a:all 1\n"
      + "2026-01-01 10:00:00 status installed a:all 1\n"
    try folder.write("", to: "dpkg.log")
    var progress = ForeignProgress(log: folder.path("dpkg.log"))
    try folder.write(first, to: "dpkg.log")
    #expect(progress.read() == "is done with a, 1 package done")
    progress = ForeignProgress(log: folder.path("dpkg.log"))
    #expect(progress.read() == nil)
  }
}
