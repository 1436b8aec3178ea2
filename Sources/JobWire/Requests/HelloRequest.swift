/// `hello`, the first request of a connection: the client, its version and its requested rights.
package struct HelloRequest: WireRequest {
  package typealias Reply = HelloReply
  package static let method = "hello"
  package static let kind = RequestKind.view

  /// Always ``WireProtocol/product``.
  package var product: String
  /// The client's protocol version.
  package var version: Int
  /// The program's name, for logs only.
  ///
  /// Rights never depend on it.
  package var client: String?
  /// Whether to give up the right to act for the whole connection (row A4).
  package var readOnly: Bool?
  /// Capabilities of the client beyond its protocol version.
  package var capabilities: [String]?

  package init(
    product: String = WireProtocol.product, version: Int = WireProtocol.version,
    client: String? = nil, readOnly: Bool? = nil, capabilities: [String]? = nil
  ) {
    self.capabilities = capabilities
    self.product = product
    self.version = version
    self.client = client
    self.readOnly = readOnly
  }
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

/// The rights of a peer.
package enum PeerRights: String, Sendable, Hashable, Codable {
  /// View everything, change nothing.
  case look
  /// View and act.
  case act
}
