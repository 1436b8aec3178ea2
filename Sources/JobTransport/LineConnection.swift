internal import Glibc
package import InstallJobs
internal import JobWire

/// A connected Unix socket for lines in both directions.
///
/// One task may read while another writes. The socket is closed with the last reference;
/// ``close()`` ends it for both sides at once.
package final class LineConnection: Sendable {
  /// The credentials of the peer.
  package let peer: PeerCredentials
  /// The limits of received data kept in memory.
  package let limits: ReceiveLimits
  private let descriptor: StreamSocket

  init(_ descriptor: StreamSocket, peer: PeerCredentials, limits: ReceiveLimits) {
    self.peer = peer
    self.descriptor = descriptor
    self.limits = limits
  }

  private convenience init?(_ descriptor: StreamSocket) {
    guard let peer = PeerCredentials(descriptor: descriptor.number) else { return nil }
    self.init(descriptor, peer: peer, limits: ReceiveLimits())
  }

  /// Connects to the socket at `path`.
  ///
  /// Retries for five seconds if the listener's backlog is full.
  ///
  /// - Throws: `engineUnreachable` if the socket does not exist or no process listens;
  ///   `notPermitted`; `cancelled`.
  package static func connect(to path: String) async throws(InstallationError) -> LineConnection {
    let descriptor: StreamSocket
    do {
      descriptor = try await StreamSocket.make()
    } catch {
      throw unreachable(path, "no socket can be made: \(error)")
    }
    let deadline = ContinuousClock.now + .seconds(5)
    while true {
      var code: Int32 = 0
      let status = unsafe withUnixAddress(path) { address, length in
        let status = unsafe Glibc.connect(descriptor.number, address, length)
        code = errno
        return status
      }
      guard let status else {
        throw unreachable(
          path, path.isEmpty ? "the path is empty" : "the path is too long for a socket")
      }
      if status == 0 { break }
      guard code == EAGAIN || code == EINTR, ContinuousClock.now < deadline else {
        throw refused(path, code)
      }
      do {
        try await Task.sleep(for: .milliseconds(2))
      } catch {
        throw InstallationError(
          .cancelled, "the attempt to connect to the engine at '\(path)' was cancelled",
          class: .transient)
      }
    }
    guard let connection = LineConnection(descriptor) else {
      throw unreachable(path, "the system does not say who listens")
    }
    return connection
  }

  /// The error for a failed connect, depending on the file at the path.
  private static func refused(_ path: String, _ code: Int32) -> InstallationError {
    var record = stat()
    let isThere = unsafe stat(path, &record) == 0
    guard !isThere || record.st_mode & S_IFMT == S_IFSOCK else {
      return unreachable(path, "it is not a socket")
    }
    guard code == EACCES || code == EPERM else { return unreachable(path, explain(code)) }
    let own =
      "an engine of your own: see it with 'fettle try', or 'fettle root create DIR' and 'fettle"
      + " engine --root DIR'"
    // The group `fettle` gives no rights at an engine of an ordinary user.
    guard !isThere || record.st_uid == 0 else {
      return InstallationError(
        .notPermitted,
        "not permitted to use the engine at '\(path)': it is the own engine of the user with the"
          + " number \(record.st_uid)", hint: "use " + own)
    }
    return InstallationError(
      .notPermitted, "not permitted to use the engine at '\(path)'",
      hint: "ask an administrator for membership of group 'fettle', or use " + own)
  }

  private static func unreachable(_ path: String, _ reason: String) -> InstallationError {
    InstallationError(
      .engineUnreachable, "no engine answers at '\(path)': \(reason)", class: .transient,
      hint: "see it work with 'fettle try', or start one: 'fettle engine --help' says how")
  }

  /// The received lines, each without its line feed.
  ///
  /// Only one task may read them. Finishes when the peer closes. Throws
  /// ``JobWire/LineSplitter/LineTooLong`` for a line over the limit, after the lines before it were
  /// read; ``ReceiveLimits/BudgetExceeded``; a system error; or `CancellationError`.
  package var lines: Lines { Lines(descriptor: descriptor, limits: limits) }

  /// Sends bytes unchanged; returns when the kernel has accepted all.
  ///
  /// Suspends while the peer does not read.
  ///
  /// - Throws: A system error if the peer is gone, or `CancellationError`. Part of the bytes may
  ///   have been sent.
  package func send(_ bytes: [UInt8]) async throws { try await descriptor.write(bytes) }

  /// Whether the peer has closed both directions, so that data sent to it is not read.
  package var isHungUp: Bool {
    var entry = pollfd(fd: descriptor.number, events: 0, revents: 0)
    return unsafe poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLHUP | POLLERR) != 0
  }

  /// Closes the connection: the peer sees the end of the stream, pending reads end, writes throw.
  package func close() { descriptor.shutDown() }

  /// The lines of a connection in order of arrival.
  package struct Lines: AsyncSequence, AsyncIteratorProtocol, Sendable {
    package typealias Element = [UInt8]

    private let descriptor: StreamSocket
    private let limits: ReceiveLimits
    private var splitter: LineSplitter
    private var ready: ArraySlice<[UInt8]> = []

    fileprivate init(descriptor: StreamSocket, limits: ReceiveLimits) {
      self.descriptor = descriptor
      self.limits = limits
      splitter = LineSplitter(limit: limits.line)
    }

    package func makeAsyncIterator() -> Lines { self }

    package mutating func next() async throws -> [UInt8]? {
      while ready.isEmpty {
        if let overflow = splitter.overflow { throw overflow }
        splitter.limit = limits.line
        // One byte more than a line with its line ending, so that the first read detects a longer
        // line.
        let most = Swift.min(64 << 10, splitter.limit + 3)
        guard let bytes = try await descriptor.read(atMost: most) else { return nil }
        ready = splitter.append(bytes)[...]
        let held = splitter.heldBytes + ready.reduce(0) { $0 + $1.count }
        guard limits.reserveReceived(held) else { throw ReceiveLimits.BudgetExceeded() }
      }
      return ready.removeFirst()
    }
  }
}
