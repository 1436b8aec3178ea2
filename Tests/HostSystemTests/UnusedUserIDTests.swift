import Glibc
import Support
import Testing

@testable import HostSystem

@Suite struct `An unused user id` {
  @Test func `is one that nobody hands out, and has no account`() throws {
    let id = try #require(UnusedUserID.find())
    #expect(UnusedUserID.contains(id))
    #expect(unsafe getpwuid(id) == nil && getgrgid(id) == nil)
    // systemd's dynamic users, subordinate ids of shadow-utils, nobody.
    for id: UInt32 in [0, 1000, 61_184, 62_000, 65_519, 65_534, 65_535, 100_000] {
      #expect(!UnusedUserID.contains(id))
    }
  }

  @Test func `is none of a range of subordinate ids, and one that the user namespace has`() {
    #expect(
      UnusedUserID.subordinateRanges("ann:70000:65536\nbob:x:1\nodd\nmax:1:18446744073709551615\n")
        == [70_000..<135_536, 1..<4_294_967_296])
    #expect(UnusedUserID.mappedRanges("         0     100000      65536\n") == [0..<65_536])
    #expect(UnusedUserID.mappedRanges("") == [])
    #expect(UnusedUserID.subordinateRanges("far:18446744073709551615:18446744073709551615\n") == [])
  }

  @Test func `is looked for only where it can be known which ids were handed out`() throws {
    let folder = try TestFolder()
    #expect(UnusedUserID.handedOut(by: folder.path("none")) == [])
    try TestFolder.write("ann:70000:10\n", to: folder.path("subuid"))
    #expect(UnusedUserID.handedOut(by: folder.path("subuid")) == [70_000..<70_010])
    #expect(UnusedUserID.handsOutElsewhere("passwd: files sss\nsubid:\tsss # central\n"))
    #expect(!UnusedUserID.handsOutElsewhere("subid: files\n#subid: sss\npasswd: files sss\n"))
    // No file that could be read.
    #expect(UnusedUserID.handedOut(by: folder.path) == nil)
  }
}
