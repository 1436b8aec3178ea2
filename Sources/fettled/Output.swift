import Glibc
import HostSystem

/// Writes lines to descriptors without a buffer.
enum Output: Sendable {
  /// Writes a text with its control characters replaced, since parts of it may come from another
  /// user.
  static func line(_ text: String, to descriptor: Int32) {
    _ = write(Sanitised.text(text, limit: 65_536), to: descriptor)
  }

  /// Prints a command's result; ends the process with status 1 when it cannot be written.
  static func answer(_ text: String) {
    guard let code = write(text, to: STDOUT_FILENO) else { return }
    // The reader closed the pipe; that needs no message.
    if code != EPIPE {
      let reason = unsafe String(cString: strerror(code))
      line("\(Fettled.typedName): cannot write to standard output: \(reason)", to: STDERR_FILENO)
    }
    exit(1)
  }

  /// Writes a text and a line feed.
  ///
  /// - Returns: The error number; nil on success.
  private static func write(_ text: String, to descriptor: Int32) -> Int32? {
    var bytes = Array((text + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN {
        // Another process that shares the descriptor may have made it non-blocking.
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&writable, 1, -1)
        continue
      }
      guard count > 0 else { return errno }
      bytes = bytes.dropFirst(count)
    }
    return nil
  }
}
