internal import Glibc

/// An open file descriptor, closed with its last reference.
package final class Descriptor: Sendable {
  /// The descriptor's number.
  package let number: Int32

  /// Takes ownership of a descriptor; nil for a negative number.
  package init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  /// Opens a file for this process alone, without blocking; nil, with `errno`, on failure.
  ///
  /// Opening a fifo or a terminal in the file's place neither blocks nor changes the terminal of
  /// this process.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - flags: The flags of open(2); without `O_NOFOLLOW` the path may be a symbolic link.
  ///   - mode: The permission bits of a file that is created.
  package convenience init?(opening path: String, _ flags: Int32, mode: UInt32 = 0o600) {
    self.init(unsafe open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode))
  }

  deinit { close(number) }

  /// Whether the descriptor refers to a regular file.
  package var isRegular: Bool {
    var record = stat()
    return unsafe fstat(number, &record) == 0 && record.st_mode & S_IFMT == S_IFREG
  }

  /// Reads until the end of the file.
  ///
  /// - Parameters:
  ///   - offset: Where to begin; nil reads on from the descriptor's position.
  ///   - limit: The most bytes to read.
  /// - Returns: The bytes; nil, with `errno`, on failure.
  package func read(at offset: Int64? = nil, limit: Int) -> [UInt8]? {
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: max(0, min(limit, 1 << 16)))
    while content.count < limit {
      let wanted = min(chunk.count, limit - content.count)
      let count = unsafe chunk.withUnsafeMutableBytes {
        if let offset {
          unsafe pread(number, $0.baseAddress, wanted, off_t(offset) + off_t(content.count))
        } else {
          unsafe Glibc.read(number, $0.baseAddress, wanted)
        }
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { break }
      content.append(contentsOf: chunk[..<count])
    }
    return content
  }

  /// Writes all bytes.
  ///
  /// - Parameters:
  ///   - content: The bytes.
  ///   - offset: Where to write; nil writes at the descriptor's position.
  /// - Returns: False, with `errno`, when not all were written.
  package func write(_ content: [UInt8], at offset: Int64? = nil) -> Bool {
    var written = 0
    while written < content.count {
      let count = unsafe content[written...].withUnsafeBytes {
        if let offset {
          unsafe pwrite(number, $0.baseAddress, $0.count, off_t(offset) + off_t(written))
        } else {
          unsafe Glibc.write(number, $0.baseAddress, $0.count)
        }
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  /// Copies the next `count` bytes into another file; false when reading or writing fails.
  package func send(to target: Descriptor, count: Int) -> Bool {
    var left = count
    while left > 0 {
      let sent = sendfile(target.number, number, nil, min(left, 1 << 24))
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { return false }
      left -= sent
    }
    return true
  }
}
