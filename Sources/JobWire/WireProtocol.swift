/// The figures both ends agree on before the first byte.
package enum WireProtocol: Sendable {
  /// What `hello` calls the product.
  package static let product = "fettle"
  /// The version of the protocol; ends with different versions do not talk (row S4).
  package static let version = 1
  /// The version of the JSON-RPC framing.
  package static let framing = "2.0"
  /// The longest line in bytes, without its line feed.
  package static let maximumLine = 1 << 20
  /// The longest piece of an uploaded archive in bytes.
  package static let maximumPiece = 512 << 10
  /// The longest answer to `log` in bytes of the log.
  package static let maximumLogChunk = 256 << 10
  /// The most jobs in one answer to `history`.
  package static let maximumHistoryPage = 200
  /// The longest message in bytes that a receiver puts together from parts.
  package static let maximumMessage = 256 << 20
  /// The most events in one answer to `events`.
  package static let maximumEventsPage = 256
  /// The most rows in one answer to `audit`.
  package static let maximumAuditPage = 500
  /// What this version can do beyond the requests of its protocol version.
  package static let capabilities = [
    "parts", "subscriptions", "request", "history", events, rows, ticks, updates,
    queue, yield, audit, downloads, cancel, search,
  ]
  /// The capability of answering `events`, from which a job is replayed.
  package static let events = "events"
  /// The capability of reading the jobs of a snapshot as arrays; a client announces it in `hello`,
  /// and one that does not gets objects.
  package static let rows = "rows"
  /// The capability of reading progress of several jobs as one message of arrays; a client announces
  /// it in `hello`, and one that does not gets an object for each.
  package static let ticks = "ticks"
  /// The capability of reading what happened to a package as an array; a client announces it in
  /// `hello`, and one that does not gets an object.
  package static let updates = "updates"
  /// The capability of answering `search` and `system`.
  package static let search = "search"
  /// The capability of pausing the whole queue, of holding jobs that wait and of moving them.
  package static let queue = "queue"
  /// The capability of showing the record of acts.
  package static let audit = "audit"
  /// The capability of jobs that only fetch archives; an older engine would carry the whole work out.
  package static let downloads = "downloads"
  /// The capability of cancelling a request that waits for a plan; see ``CancelParameters``.
  package static let cancel = "cancel"
  /// The capability of asking the holder of the package lock to yield.
  package static let yield = "yield"
}
