internal import CProcess
internal import FlyingSocks
internal import FoundationEssentials
internal import Glibc

/// A non-blocking, close-on-exec socket that closes itself when the last user is gone.
final class Descriptor: Sendable {
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

  /// The number of the next connection of a listening socket, which the caller owns.
  ///
  /// - Parameter reserve: The descriptor that is given up when the process has no other one left.
  /// - Returns: The number, and the event queue that its connection will wait on.
  /// - Throws: `CancellationError`, or an error of the system when the listener is done for.
  func accept(with reserve: DescriptorReserve) async throws -> (number: Int32, Descriptor.Pool) {
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
        // The descriptors in use are given back when their peers leave.
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

  /// Ends both directions; whoever reads or writes finds out.
  func shutDown() { _ = Glibc.shutdown(number, Int32(SHUT_RDWR)) }
}
