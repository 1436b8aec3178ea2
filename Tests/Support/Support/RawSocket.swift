import Glibc
import Synchronization

/// A Unix socket used through the system's calls alone: what a client in another language would do.
///
/// Blocking, with a time limit of four minutes a call; meant for test threads of its own.
package final class RawSocket: Sendable {
  private let descriptor: Int32
  private let unread = Mutex<ArraySlice<UInt8>>([])

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var limit = timeval(tv_sec: 240, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
  }

  deinit { close(descriptor) }

  /// Connects to a socket; nil when that fails.
  package static func connect(to path: String) -> RawSocket? {
    let socket = RawSocket(makeSocket())
    let status = unsafe withAddress(path) { unsafe Glibc.connect(socket.descriptor, $0, $1) }
    return status == 0 ? socket : nil
  }

  /// Binds and listens; nil when that fails.
  package static func listen(at path: String) -> RawSocket? {
    let socket = RawSocket(makeSocket())
    guard unsafe withAddress(path, { unsafe Glibc.bind(socket.descriptor, $0, $1) }) == 0,
      Glibc.listen(socket.descriptor, 8) == 0
    else { return nil }
    return socket
  }

  /// The next connection of a listening socket.
  package func accept() -> RawSocket? {
    let accepted = Glibc.accept(descriptor, nil, nil)
    return accepted < 0 ? nil : RawSocket(accepted)
  }

  /// Sends all of the text; false when the peer is gone or takes nothing for four minutes.
  @discardableResult
  package func send(_ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let sent = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      bytes = bytes.dropFirst(sent)
    }
    return true
  }

  /// The next line without its line feed; nil at the end or after four minutes.
  package func line() -> String? {
    unread.withLock { unread in
      while true {
        if let end = unread.firstIndex(of: 0x0A) {
          defer { unread = unread[(end + 1)...] }
          return String(decoding: unread[..<end], as: UTF8.self)
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe Glibc.recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        unread = (Array(unread) + bytes.prefix(count))[...]
      }
    }
  }

  /// Ends the sending direction; the peer reads to the end and may still answer.
  package func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Whether the peer ends the stream within four minutes, whatever it says before.
  package func isEnded() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe Glibc.recv(descriptor, &bytes, bytes.count, 0)
      if count == 0 || (count < 0 && errno == ECONNRESET) { return true }
      if count < 0 { return false }
    }
  }

  private static func makeSocket() -> Int32 {
    Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      unsafe buffer.copyBytes(from: Array(path.utf8).prefix(107))
    }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// Runs blocking work on a thread of its own, so that it never takes one of the pool's.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.start { continuation.resume(returning: body()) }
  }
}

/// Threads of the operating system, for work that blocks.
enum Thread {
  private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  static func start(_ body: @escaping @Sendable () -> Void) {
    let work = unsafe Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    precondition(status == 0, "no thread can be made")
    pthread_detach(thread)
  }
}
