internal import FlyingSocks
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A non-blocking, close-on-exec socket that closes itself when the last user is gone.
final class Descriptor: Sendable {
  let socket: Socket
  private let pool: SocketPool<ePoll>
  private let isClosed = Atomic(false)

  init(_ number: Int32, pool: SocketPool<ePoll>) {
    socket = Socket(file: .init(rawValue: number))
    self.pool = pool
  }

  deinit {
    guard !isClosed.load(ordering: .acquiring) else { return }
    let (socket, pool) = (socket, pool)
    Task {
      await pool.settle()
      try? socket.close()
    }
  }

  /// Closes the socket, and returns when that is done: its number may be somebody else's then.
  ///
  /// For the only user there is.
  func close() async {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    shutDown()
    await pool.settle()
    try? socket.close()
  }

  /// A new Unix stream socket.
  static func make() async throws -> Descriptor {
    let pool = try await Reactor.shared.pool()
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = Glibc.socket(AF_UNIX, kind, 0)
    guard number >= 0 else { throw SocketError.makeFailed("socket") }
    return Descriptor(number, pool: pool)
  }

  var number: Int32 { socket.file.rawValue }

  /// Runs `attempt` again whenever the socket is ready, until it does not block.
  ///
  /// An error of the event queue only means that the socket changed; the next attempt tells what
  /// really is the matter, and finds the bytes that a peer left behind before it went.
  private func untilDone<T>(_ events: Socket.Events, _ attempt: () throws -> T) async throws -> T {
    var wakingErrors = 0
    while true {
      try Task.checkCancellation()
      do {
        return try attempt()
      } catch SocketError.blocked {
        do {
          try await pool.suspendSocket(socket, untilReadyFor: events)
          wakingErrors = 0
        } catch SocketError.disconnected where wakingErrors < 3 {
          wakingErrors += 1
        }
      }
    }
  }

  /// At least one byte, or nil at the end of the stream.
  func read(atMost count: Int) async throws -> [UInt8]? {
    do {
      return try await untilDone(.read) { try socket.read(atMost: count) }
    } catch SocketError.disconnected {
      return nil
    }
  }

  /// Returns when the kernel has taken every byte.
  func write(_ bytes: [UInt8]) async throws {
    let data = Data(bytes)
    var sent = data.startIndex
    while sent < data.endIndex {
      sent = try await untilDone(.write) { try socket.write(data, from: sent) }
    }
  }

  /// The next connection of a listening socket.
  func accept() async throws -> Descriptor {
    while true {
      do {
        let file = try await untilDone(.read) { try socket.accept().file }
        let number = file.rawValue
        let accepted = Descriptor(number, pool: pool)
        _ = Glibc.fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = Glibc.fcntl(number, F_SETFL, Glibc.fcntl(number, F_GETFL) | O_NONBLOCK)
        return accepted
      } catch SocketError.failed(_, let code, _) where Self.passes(code) {
        // Out of descriptors: the ones in use are given back when their peers leave.
        if code != ECONNABORTED { try await Task.sleep(for: .milliseconds(100)) }
      }
    }
  }

  private static func passes(_ code: Int32) -> Bool {
    [ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM, EINTR].contains(code)
  }

  /// Ends both directions; whoever reads or writes finds out.
  func shutDown() { _ = Glibc.shutdown(number, Int32(SHUT_RDWR)) }
}
