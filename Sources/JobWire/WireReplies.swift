package import InstallJobs

/// What the peer of a connection may do.
package enum PeerRights: String, Sendable, Hashable, Codable {
  /// Look at everything, change nothing.
  case look
  /// Look and act.
  case act
}

/// The reply to `hello`.
package struct HelloReply: Sendable, Hashable, Codable {
  /// Always ``WireProtocol/product``.
  package var product: String
  /// The engine's protocol version.
  package var version: Int
  package var capabilities: [String]
  /// Names the journal that the numbers of events belong to.
  package var epoch: String
  /// The number of the last durable event.
  package var lastSeq: Int
  /// What this peer may do now; looked up again at each act.
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

/// The reply to a request that has nothing to tell: an empty object.
package struct EmptyReply: Sendable, Hashable, Codable {
  package init() {}
}

/// The reply to `upload`.
package struct UploadReply: Sendable, Hashable, Codable {
  /// What the archive holds, once it is complete.
  package var update: Update?

  package init(update: Update?) { self.update = update }
}

/// The reply to `log`: a piece of a job's log.
///
/// Its text is what packages print: hostile until sanitised.
package struct LogReply: Sendable, Hashable, Codable {
  /// Where the piece begins, in bytes.
  package var offset: Int64
  package var text: String
  /// Where the next piece begins; equal to `offset` when there is nothing more yet.
  package var next: Int64
  /// How long the log is now, in bytes.
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
  /// Stands in every notification of this subscription.
  package var subscription: Int
  /// The number after which events follow.
  package var seq: Int

  package init(subscription: Int, seq: Int) {
    self.subscription = subscription
    self.seq = seq
  }
}
