internal import Glibc

/// Holds threads back until it is opened.
package final class Gate: Sendable {
  private let ends: (read: Int32, write: Int32)

  package init() {
    var ends: [Int32] = [-1, -1]
    precondition(unsafe pipe(&ends) == 0, "no pipe can be made")
    self.ends = (ends[0], ends[1])
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  /// Blocks until the gate is open.
  package func wait() {
    var entry = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
  }

  /// Lets everybody through, for good.
  package func open() {
    var byte: UInt8 = 1
    _ = unsafe write(ends.write, &byte, 1)
  }
}
