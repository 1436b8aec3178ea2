internal import CProcess
internal import Glibc
internal import HostSystem
internal import Synchronization

/// A bounded queue of log lines for a descriptor that may block.
///
/// A separate thread writes them; lines that do not fit are dropped and counted. Adding a line
/// never blocks. The number of dropped lines is logged once there is room again.
package final class LogQueue: Sendable {
  private struct State {
    var lines: [String] = []
    var bytes = 0
    var dropped = 0
    var isWriting = false
  }

  private let descriptor: Int32
  private let limit: Int
  private let counter: Int32
  private let state = Mutex(State())

  /// - Parameters:
  ///   - descriptor: The descriptor to write to. The caller keeps it open for the lifetime of the
  ///     queue.
  ///   - limit: Largest number of waiting bytes.
  package init(descriptor: Int32, limit: Int = 256 << 10) {
    self.descriptor = descriptor
    self.limit = limit
    counter = counter_open()
    let thread = DetachedThread { self.run() }
    if !thread.isRunning { state.withLock { $0.dropped += 1 } }
  }

  /// Adds a line, given without a line feed; counts it as dropped if there is no room.
  package func add(_ line: String) {
    let isAdded = state.withLock { state in
      guard state.bytes + line.utf8.count + 1 <= limit else {
        state.dropped += 1
        return false
      }
      state.lines.append(line)
      state.bytes += line.utf8.count + 1
      return true
    }
    if isAdded { counter_raise(counter) }
  }

  /// Number of dropped lines that were not reported yet.
  package var droppedCount: Int { state.withLock { $0.dropped } }

  /// Waits until every line is written, at most `milliseconds`.
  ///
  /// - Returns: Whether all lines were written.
  @discardableResult
  package func flush(milliseconds: Int) -> Bool {
    for _ in 0...max(0, milliseconds / 5) {
      if state.withLock({ $0.lines.isEmpty && !$0.isWriting }) { return true }
      usleep(5_000)
    }
    return false
  }

  private func run() {
    while true {
      _ = wait_readable(counter, -1, -1, -1)
      watch_drain(counter)
      while let batch = next() { write(batch) }
    }
  }

  /// Lines to be written at once, with the number of dropped lines that the last of them reports.
  private struct Batch {
    var text: String
    var dropped: Int
  }

  private func next() -> Batch? {
    state.withLock { state in
      guard !state.lines.isEmpty else {
        state.isWriting = false
        return nil
      }
      var lines = state.lines
      let dropped = state.dropped
      if dropped > 0 { lines.append("fettled: \(dropped) messages dropped") }
      (state.lines, state.bytes, state.dropped, state.isWriting) = ([], 0, 0, true)
      return Batch(text: lines.joined(separator: "\n") + "\n", dropped: dropped)
    }
  }

  private func write(_ batch: Batch) {
    var bytes = Array(batch.text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        bytes = bytes.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&writable, 1, -1)
      default:
        // The report of dropped lines is lost, too, and not a line of its own.
        let lost = bytes.count { $0 == UInt8(ascii: "\n") } - (batch.dropped > 0 ? 1 : 0)
        return state.withLock { $0.dropped += lost + batch.dropped }
      }
    }
  }
}
