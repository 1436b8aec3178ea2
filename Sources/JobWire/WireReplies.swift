package import InstallJobs

/// The rights of a peer.
package enum PeerRights: String, Sendable, Hashable, Codable {
  /// View everything, change nothing.
  case look
  /// View and act.
  case act
}

/// The reply to `hello`.
package struct HelloReply: Sendable, Hashable, Codable {
  /// Always ``WireProtocol/product``.
  package var product: String
  /// The engine's protocol version.
  package var version: Int
  package var capabilities: [String]
  /// Identifies the journal that numbers the events.
  package var epoch: String
  /// The number of the last durable event.
  package var lastSeq: Int
  /// The current rights of the peer.
  ///
  /// They are checked again at each act.
  package var rights: PeerRights

  package init(
    product: String = WireProtocol.product, version: Int = WireProtocol.version,
    capabilities: [String] = WireProtocol.capabilities, epoch: String, lastSeq: Int,
    rights: PeerRights
  ) {
    self.product = product
    self.version = version
    self.capabilities = capabilities
    self.epoch = epoch
    self.lastSeq = lastSeq
    self.rights = rights
  }
}

/// The reply to a request without a result: an empty object.
package struct EmptyReply: Sendable, Hashable, Codable {
  package init() {}
}

/// The reply to `upload`.
package struct UploadReply: Sendable, Hashable, Codable {
  /// The update in the archive, once the archive is complete.
  package var update: Update?

  package init(update: Update?) { self.update = update }
}

/// The reply to `log`: a piece of a job's log.
///
/// The text is the output of packages and untrusted until it is sanitised.
package struct LogReply: Sendable, Hashable, Codable {
  /// The offset of the piece, in bytes.
  package var offset: Int64
  package var text: String
  /// The offset of the next piece; equal to `offset` if there is no more text yet.
  package var next: Int64
  /// The current length of the log, in bytes.
  package var length: Int64

  package init(offset: Int64, text: String, next: Int64, length: Int64) {
    self.offset = offset
    self.text = text
    self.next = next
    self.length = length
  }
}

/// The reply to `subscribe`.
package struct SubscribeReply: Sendable, Hashable, Codable {
  /// The number of the subscription in its notifications.
  package var subscription: Int
  /// The event number after which events follow.
  package var seq: Int

  package init(subscription: Int, seq: Int) {
    self.subscription = subscription
    self.seq = seq
  }
}
