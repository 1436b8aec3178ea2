internal import Glibc
internal import Synchronization

/// An accepted connection that is not served yet: a descriptor and the peer's credentials.
///
/// It has no buffer and no task. The descriptor is closed with the last reference, unless
/// ``connection(_:)`` has transferred it.
package final class AcceptedPeer: Sendable {
  /// The credentials of the peer.
  package let peer: PeerCredentials
  private let number: Mutex<Int32>
  private let pool: StreamSocket.Pool

  /// Takes ownership of a descriptor.
  ///
  /// Nil if the kernel does not give the peer's credentials; the descriptor is closed then.
  ///
  /// - Parameters:
  ///   - number: The descriptor of a connected socket.
  ///   - pool: The event queue for the connection.
  init?(_ number: Int32, pool: StreamSocket.Pool) {
    guard let peer = PeerCredentials(descriptor: number) else {
      _ = Glibc.close(number)
      return nil
    }
    self.peer = peer
    self.number = Mutex(number)
    self.pool = pool
  }

  deinit { close() }

  /// Sends as many bytes as fit in the socket buffer, without blocking, and closes the descriptor.
  package func refuse(with bytes: [UInt8]) {
    number.withLock { number in
      guard number >= 0 else { return }
      _ = unsafe Glibc.send(
        number, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }
    close()
  }

  /// Closes the descriptor.
  package func close() {
    number.withLock { number in
      guard number >= 0 else { return }
      _ = Glibc.close(number)
      number = -1
    }
  }

  /// Returns a connection for serving, which then owns the descriptor.
  ///
  /// - Parameter limits: The limits of received data kept in memory.
  /// - Returns: The connection; nil if the descriptor was closed or transferred before.
  package func connection(_ limits: ReceiveLimits = ReceiveLimits()) -> LineConnection? {
    let open = number.withLock { number in
      defer { number = -1 }
      return number
    }
    guard open >= 0 else { return nil }
    return LineConnection(StreamSocket(open, pool: pool), peer: peer, limits: limits)
  }
}
