internal import CProcess
internal import FlyingSocks
internal import FoundationEssentials
internal import Glibc

/// A non-blocking, close-on-exec socket that is closed with its last reference.
final class StreamSocket: Sendable {
  let socket: Socket
  private let pool: SocketPool<ePoll>

  init(_ number: Int32, pool: SocketPool<ePoll>) {
    socket = Socket(file: .init(rawValue: number))
    self.pool = pool
  }

  deinit {
    let (socket, pool) = (socket, pool)
    Task {
      await pool.settle()
      try? socket.close()
    }
  }

  /// A new Unix stream socket.
  static func make() async throws -> StreamSocket {
    let pool = try await Reactor.shared.pool()
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = Glibc.socket(AF_UNIX, kind, 0)
    guard number >= 0 else { throw SocketError.makeFailed("socket") }
    return StreamSocket(number, pool: pool)
  }

  var number: Int32 { socket.file.rawValue }

  /// Runs `attempt` whenever the socket is ready, until it does not block.
  ///
  /// An error of the event queue only means that the socket changed. The next attempt gives the
  /// real error, or the bytes that the peer sent before it left.
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

  /// Reads at least one byte; nil at the end of the stream.
  func read(atMost count: Int) async throws -> [UInt8]? {
    do {
      return try await untilDone(.read) { try socket.read(atMost: count) }
    } catch SocketError.disconnected {
      return nil
    }
  }

  /// Writes all bytes; returns when the kernel has accepted the last one.
  func write(_ bytes: [UInt8]) async throws {
    let data = Data(bytes)
    var sent = data.startIndex
    while sent < data.endIndex {
      sent = try await untilDone(.write) { try socket.write(data, from: sent) }
    }
  }

  /// Accepts the next connection of a listening socket.
  ///
  /// The caller owns the new descriptor.
  ///
  /// - Parameter reserve: The descriptor to close if the process has no other free descriptor.
  /// - Returns: The descriptor, and the event queue for the connection.
  /// - Throws: `CancellationError`, or a system error after which the listener is unusable.
  func accept(with reserve: DescriptorReserve) async throws -> (number: Int32, StreamSocket.Pool) {
    while true {
      reserve.restore()
      let attempt = try await untilDone(.read) { () throws -> Accepted in
        let number = socket_accept(self.number)
        if number >= 0 { return .number(number) }
        return try Self.outcome(of: errno)
      }
      switch attempt {
      case .number(let number): return (number, pool)
      case .again: continue
      case .exhausted:
        reserve.release()
        let number = socket_accept(self.number)
        if number >= 0 { return (number, pool) }
        // Descriptors become free when peers leave.
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  typealias Pool = SocketPool<ePoll>

  private enum Accepted {
    case number(Int32)
    case again
    case exhausted
  }

  private static func outcome(of code: Int32) throws -> Accepted {
    switch code {
    case EAGAIN: throw SocketError.blocked
    case EINTR, ECONNABORTED: .again
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: .exhausted
    default: throw SocketError.failed(type: "accept", errno: code, message: explain(code))
    }
  }

  /// Shuts down both directions; pending and later reads and writes end.
  func shutDown() { _ = Glibc.shutdown(number, Int32(SHUT_RDWR)) }
}
