internal import Glibc
internal import Synchronization

/// A connection that was accepted and is not served yet: a descriptor and who is at its other end.
///
/// It has no buffer and no task. The descriptor is closed with the last reference unless
/// ``connection()`` has passed it on.
package final class AcceptedPeer: Sendable {
  /// Who is at the other end.
  package let peer: PeerCredentials
  private let number: Mutex<Int32>
  private let pool: Descriptor.Pool

  /// Nil, with the descriptor closed, when the kernel does not say who is at its other end.
  ///
  /// - Parameters:
  ///   - number: A descriptor that belongs to this value from now on.
  ///   - pool: The event queue that the connection will wait on.
  init?(_ number: Int32, pool: Descriptor.Pool) {
    guard let peer = PeerCredentials(descriptor: number) else {
      _ = Glibc.close(number)
      return nil
    }
    self.peer = peer
    self.number = Mutex(number)
    self.pool = pool
  }

  deinit { close() }

  /// Sends as many of the bytes as the kernel has room for, without waiting, and closes.
  package func refuse(with bytes: [UInt8]) {
    number.withLock { number in
      guard number >= 0 else { return }
      _ = unsafe Glibc.send(
        number, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }
    close()
  }

  /// Closes the descriptor at once.
  package func close() {
    number.withLock { number in
      guard number >= 0 else { return }
      _ = Glibc.close(number)
      number = -1
    }
  }

  /// The connection to be served, which owns the descriptor.
  ///
  /// - Parameter limits: How much of what arrives is kept in memory.
  /// - Returns: Nil when the descriptor was closed or passed on.
  package func connection(_ limits: ReceiveLimits = ReceiveLimits()) -> LineConnection? {
    let open = number.withLock { number in
      defer { number = -1 }
      return number
    }
    guard open >= 0 else { return nil }
    return LineConnection(Descriptor(open, pool: pool), peer: peer, limits: limits)
  }
}
