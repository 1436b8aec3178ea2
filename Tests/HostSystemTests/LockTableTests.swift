import Glibc
import Support
import Testing

@testable import HostSystem

@Suite(.scratchFolder) struct `The table of locks` {
  private static let table = """
    1: POSIX  ADVISORY  WRITE 11 fe:00:77 0 EOF
    2: FLOCK  ADVISORY  WRITE 12 08:01:77 0 EOF
    3: FLOCK  ADVISORY  WRITE 0 fe:00:77 0 EOF
    4: FLOCK  ADVISORY  READ  13 fe:00:77 0 EOF
    4: -> FLOCK  ADVISORY  WRITE 14 fe:00:78 0 EOF
    5: FLOCK  ADVISORY  WRITE 15 103:100:79 0 EOF
    """

  @Test(
    arguments: [
      (77, 0xFE00, 13), (77, 0x0801, 12), (77, 0xFD00, nil), (78, 0xFE00, nil),
      // Major 0x103 and minor 0x100, then each without its upper part.
      (79, 0x11_0300, 15), (79, 0x01_0300, nil), (79, 0x10_0300, nil),
    ] as [(UInt64, UInt64, Int32?)])
  func `names who locked the file of that device, and nobody else`(
    inode: UInt64, device: UInt64, process: Int32?
  ) {
    #expect(LockTable.holder(of: inode, on: device, in: Self.table) == process)
  }

  @Test func `names this process, and nobody once the lock is given back`() throws {
    let folder = try #require(ScratchFolder.current)
    let file = unsafe open(folder.path("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    var status = stat()
    #expect(unsafe fstat(file, &status) == 0 && flock(file, LOCK_EX) == 0)
    #expect(LockTable.holder(of: status) == getpid())
    #expect(flock(file, LOCK_UN) == 0)
    #expect(LockTable.holder(of: status) == nil)
  }
}
