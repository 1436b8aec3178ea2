import Dispatch
package import Glibc
import Synchronization

/// A pseudo-terminal whose other side is read all the time, as an emulator would.
package final class PseudoTerminal: Sendable {
  private struct Waiter: Sendable {
    var number: Int
    var isMet: @Sendable ([UInt8]) -> Bool
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct Received: Sendable {
    var bytes: [UInt8] = []
    var waiters: [Waiter] = []
    var waits = 0
    var markers = 0
  }

  /// The emulator's side.
  package let controller: Int32
  /// The program's side.
  package let terminal: Int32
  /// The name of the program's side.
  package let path: String
  private let received = Mutex(Received())
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// Opens a pair of the given size.
  package init(columns: Int = 80, rows: Int = 24) {
    var controller: Int32 = -1
    var terminal: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    let result = unsafe openpty(&controller, &terminal, &name, nil, &size)
    precondition(result == 0, "a pseudo-terminal is to be had")
    for descriptor in [controller, terminal] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    self.controller = controller
    self.terminal = terminal
    path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    unsafe source = DispatchSource.makeReadSource(
      fileDescriptor: controller, queue: DispatchQueue(label: "emulator"))
    unsafe source.setEventHandler { [weak self] in self?.receive() }
    // Closed any earlier, its number could be somebody else's while it is still being watched.
    unsafe source.setCancelHandler { close(controller) }
    unsafe source.activate()
  }

  deinit {
    unsafe source.cancel()
    close(terminal)
  }

  /// Everything that the program wrote and nobody has taken.
  package var output: [UInt8] { received.withLock { $0.bytes } }

  /// Takes what the program has written up to now.
  ///
  /// Exact for a program in this process: what it wrote before the call is in the result. Not for
  /// a program that may be writing meanwhile: it waits for its own mark to be the last thing.
  package func drain() async -> [UInt8] {
    let number = received.withLock { state in
      state.markers += 1
      return state.markers
    }
    let marker = Array("\u{1}marker \(number)\u{2}".utf8)
    Self.write(marker, to: terminal)
    await wait { $0.suffix(marker.count).elementsEqual(marker) }
    return received.withLock { state in
      defer { state.bytes = [] }
      return state.bytes.dropLast(marker.count)
    }
  }

  /// Returns as soon as the bytes of `output` satisfy a condition, or the task is cancelled; bound it
  /// by a time limit.
  package func wait(until isMet: @escaping @Sendable ([UInt8]) -> Bool) async {
    let number = received.withLock { state in
      state.waits += 1
      return state.waits
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        received.withLock { state in
          if isMet(state.bytes) || Task.isCancelled {
            continuation.resume()
          } else {
            state.waiters.append(
              Waiter(number: number, isMet: isMet, continuation: continuation))
          }
        }
      }
    } onCancel: {
      received.withLock { state in
        for waiter in state.waiters where waiter.number == number { waiter.continuation.resume() }
        state.waiters.removeAll { $0.number == number }
      }
    }
  }

  /// Types.
  package func send(_ text: String) { Self.write(Array(text.utf8), to: controller) }

  /// Types bytes.
  package func send(_ bytes: [UInt8]) { Self.write(bytes, to: controller) }

  /// Whether something was typed that the program has not read.
  package var hasWaitingInput: Bool { pollInput(0) }

  /// Blocks until something that was typed can be read: the kernel takes it there by and by.
  package func waitForInput() { _ = pollInput(-1) }

  private func pollInput(_ milliseconds: Int32) -> Bool {
    var question = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&question, 1, milliseconds) > 0
  }

  /// Changes the size; the kernel tells the program if this is its controlling terminal.
  package func resize(columns: Int, rows: Int) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(controller, UInt(TIOCSWINSZ), &size)
  }

  /// The modes of the terminal.
  package var modes: termios {
    var modes = termios()
    _ = unsafe tcgetattr(terminal, &modes)
    return modes
  }

  /// Reads nothing from now on, as behind a dead link: the program's writes fill up and block.
  package func stall() { unsafe source.suspend() }

  /// How many bytes of the program wait to be read; counted up to some 4,000.
  package var unreadCount: Int32 {
    var count: Int32 = 0
    _ = unsafe ioctl(controller, UInt(FIONREAD), &count)
    return count
  }

  /// Reads again.
  package func recover() { unsafe source.resume() }

  /// Takes the emulator away: the program sees a hang-up.
  package func vanish() { unsafe source.cancel() }

  private func receive() {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe chunk.withUnsafeMutableBytes {
      unsafe read(controller, $0.baseAddress, $0.count)
    }
    guard count > 0 else { return unsafe source.cancel() }
    let met = received.withLock { state in
      state.bytes += chunk.prefix(count)
      let met = state.waiters.filter { $0.isMet(state.bytes) }
      if !met.isEmpty { state.waiters.removeAll { $0.isMet(state.bytes) } }
      return met
    }
    for waiter in met { waiter.continuation.resume() }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
