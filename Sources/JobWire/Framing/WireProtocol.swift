/// The constants of the protocol that client and engine share.
package enum WireProtocol: Sendable {
  /// The product name in `hello`.
  package static let product = "fettle"
  /// The protocol version.
  ///
  /// A client and an engine with different versions cannot communicate (row S4).
  package static let version = 1
  /// The version of the JSON-RPC framing.
  package static let framing = "2.0"
  /// Largest line in bytes, without its line feed.
  package static let maximumLine = 1 << 20
  /// Largest piece of an uploaded archive, in bytes.
  package static let maximumPiece = 512 << 10
  /// Largest part of a log in one reply to `log`, in bytes.
  package static let maximumLogChunk = 256 << 10
  /// Largest number of jobs in one reply to `history`.
  package static let maximumHistoryPage = 200
  /// Largest message that a receiver joins from parts, in bytes.
  package static let maximumMessage = 256 << 20
  /// Largest number of events in one reply to `events`.
  package static let maximumEventsPage = 256
  /// Largest number of entries in one reply to `audit`.
  package static let maximumAuditPage = 500
  /// The capabilities of this version beyond its protocol version.
  package static let capabilities = [
    "parts", "subscriptions", "request", "history", events, rows, ticks, updates,
    queue, yield, audit, downloads, cancel, search, planning, selection, mark,
  ]
  /// The capability of the request `events`, with which a client replays a job.
  package static let events = "events"
  /// The capability of reading the jobs of a snapshot as arrays.
  ///
  /// A client announces it in `hello`; other clients get objects.
  package static let rows = "rows"
  /// The capability of reading progress of several jobs as one message of arrays.
  ///
  /// A client announces it in `hello`; other clients get one object per job.
  package static let ticks = "ticks"
  /// The capability of reading a status change of a package as an array.
  ///
  /// A client announces it in `hello`; other clients get objects.
  package static let updates = "updates"
  /// The capability of the requests `search` and `system`.
  package static let search = "search"
  /// The capability of pausing the queue, pausing waiting jobs and moving them.
  package static let queue = "queue"
  /// The capability of the request `audit`.
  package static let audit = "audit"
  /// The capability of download-only jobs.
  ///
  /// An engine without it would install the packages.
  package static let downloads = "downloads"
  /// The capability of ``PlanningOptions`` in requests.
  ///
  /// An engine without it would ignore them.
  package static let planning = "planning"
  /// The capability of ``PlanningOptions/isSecurityOnly``, ``PlanningOptions/excluded`` and
  /// ``Update/release``.
  ///
  /// An engine without it would upgrade everything, or take the candidate.
  package static let selection = "selection"
  /// The capability of the request `mark`.
  package static let mark = "mark"
  /// The capability of cancelling a request that waits for a plan; see ``CancelRequest``.
  package static let cancel = "cancel"
  /// The capability of asking the holder of the package lock to yield.
  package static let yield = "yield"
}
