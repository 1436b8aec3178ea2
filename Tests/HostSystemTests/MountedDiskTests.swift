import Testing

@testable import HostSystem

/// What the kernel says about the file system below a path.
@Suite struct `A mounted disk` {
  private func disk(_ line: String) throws -> MountedDisk {
    let id = try #require(line.split(separator: " ").first.map(String.init))
    return try #require(MountedDisk.list(line + "\n")[id])
  }

  @Test func `tells whose program claims its owners`() throws {
    let mount = "40 29 0:36 / /mnt rw,nosuid,nodev shared:1 master:2 -"
    for kind in ["fuse", "fuse.sshfs", "fuseblk"] {
      let theirs = try disk("\(mount) \(kind) me rw,user_id=1008,group_id=0,allow_other")
      #expect(theirs.isAnsweredByProgram && theirs.answeringUser == 1008)
      #expect(try disk("\(mount) \(kind) me rw,user_id=0,group_id=0").answeringUser == 0)
      // Without the user's number nobody is believed.
      #expect(try disk("\(mount) \(kind) me rw").answeringUser == nil)
    }
    #expect(!(try disk("\(mount) virtiofs share rw").isAnsweredByProgram))
  }

  @Test func `may have been brought by a user where it is mounted as such disks are`() throws {
    #expect(
      try disk("7 1 8:17 / /media/ann/X rw,nosuid,nodev,relatime - ext4 /dev/sdb1 rw")
        .isBroughtByUser)
    // A name whose last letter makes one character with the space behind it.
    for name in ["X\u{0D4E}", "X\r"] {
      #expect(
        try disk("7 1 8:17 / /media/\(name) rw,nosuid,nodev shared:9 - ext4 /dev/sdb1 rw")
          .isBroughtByUser)
    }
    for line in [
      "7 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw",
      "7 1 8:3 / /home rw,nosuid - ext4 /dev/sda3 rw",
      "7 1 0:30 / /tmp rw,nosuid,nodev - tmpfs tmpfs rw",
    ] { #expect(!(try disk(line).isBroughtByUser), "\(line)") }
  }

  @Test func `is listed for every path of this machine`() throws {
    #expect(MountedDisk.of("/proc")?.kind == "proc")
    #expect(MountedDisk.of("/")?.options.isEmpty == false)
    #expect(MountedDisk.of("/nothing/there") == nil)
  }
}
