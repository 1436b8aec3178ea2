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
  /// The engine and its machine side (row S4).
  package var engine: EngineStatus.Engine?

  package init(
    product: String = WireProtocol.product, version: Int = WireProtocol.version,
    capabilities: [String] = WireProtocol.capabilities, epoch: String, lastSeq: Int,
    rights: PeerRights, engine: EngineStatus.Engine? = nil
  ) {
    self.product = product
    self.version = version
    self.capabilities = capabilities
    self.epoch = epoch
    self.lastSeq = lastSeq
    self.rights = rights
    self.engine = engine
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

/// The reply to `log`: a piece of a job's log, as bytes, because packages print what they like.
package struct LogReply: Sendable, Hashable, Codable {
  /// Where the piece begins.
  package var offset: Int64
  package var bytes: Base64Bytes
  /// Where the next piece begins; equal to `offset` when there is nothing more yet.
  package var next: Int64

  package init(offset: Int64, bytes: [UInt8], next: Int64) {
    self.offset = offset
    self.bytes = Base64Bytes(bytes)
    self.next = next
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
