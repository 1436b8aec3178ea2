package import InstallJobs

/// Parameters of `hello`: who asks, and how much it wants to be allowed.
package struct HelloParameters: Sendable, Hashable, Codable {
  /// Always ``WireProtocol/product``.
  package var product: String
  /// The asking side's protocol version.
  package var version: Int
  /// The program's name, for logs only: rights never come from it.
  package var client: String?
  /// Gives up the right to act, for the whole life of the connection (row A4).
  package var readOnly: Bool?
  /// What the asking side understands beyond the messages of its protocol version.
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

/// Parameters of the requests about one job.
package struct JobParameters: Sendable, Hashable, Codable {
  /// The job's number.
  package var job: JobID

  package init(_ job: JobID) { self.job = job }
}

/// Parameters of `jobs`.
package struct JobsParameters: Sendable, Hashable, Codable {
  /// The states that are asked for; nil means every state.
  package var states: [JobState]?

  package init(states: [JobState]? = nil) { self.states = states }
}

/// Parameters of `history`: a filter, and how many rows at most.
package struct HistoryParameters: Sendable, Hashable, Codable {
  /// What is asked for; nil means everything that is over.
  package var filter: HistoryFilter?
  /// The job behind which the page begins; nil for the first page.
  package var after: JobID?
  /// At most so many jobs; never more than ``WireProtocol/maximumHistoryPage``, which is the default.
  package var limit: Int?

  package init(_ filter: HistoryFilter? = nil, after: JobID? = nil, limit: Int? = nil) {
    self.filter = filter
    self.after = after
    self.limit = limit
  }
}

/// Parameters of `audit`: a filter, and how many rows at most.
package struct AuditParameters: Sendable, Hashable, Codable {
  /// What is asked for; nil means everything.
  package var filter: AuditFilter?
  /// Only rows with smaller numbers; nil for the first page.
  package var before: Int64?
  /// At most so many rows; never more than ``WireProtocol/maximumAuditPage``, which is the default.
  package var limit: Int?

  package init(_ filter: AuditFilter? = nil, before: Int64? = nil, limit: Int? = nil) {
    self.filter = filter
    self.before = before
    self.limit = limit
  }
}

/// Parameters of `upload`.
package struct UploadParameters: Sendable, Hashable, Codable {
  package var archive: LocalArchive
  /// Where the piece belongs, in bytes.
  package var offset: Int64
  /// At most ``WireProtocol/maximumPiece`` bytes.
  package var bytes: Base64Bytes

  package init(archive: LocalArchive, offset: Int64, bytes: [UInt8]) {
    self.archive = archive
    self.offset = offset
    self.bytes = Base64Bytes(bytes)
  }
}

/// Parameters of `log`.
package struct LogParameters: Sendable, Hashable, Codable {
  package var job: JobID
  /// The first byte that is asked for; 0 by default.
  package var offset: Int64?
  /// At most so many bytes; never more than ``WireProtocol/maximumLogChunk``.
  package var limit: Int?

  package init(job: JobID, offset: Int64? = nil, limit: Int? = nil) {
    self.job = job
    self.offset = offset
    self.limit = limit
  }
}

/// Parameters of `subscribe`.
package struct SubscribeParameters: Sendable, Hashable, Codable {
  /// Every durable event after this one, no snapshot; nil starts with a snapshot instead.
  package var from: Int?
  /// The journal that `from` counts in, as `hello` named it; another one is an error.
  package var epoch: String?
  /// Only these jobs (and no events of the engine itself); nil means all.
  package var jobs: [JobID]?
  /// At most so many rows in the snapshot: jobs that are not over first, then the newest.
  package var window: Int?
  /// Whether the rows carry their plans; only together with `jobs`.
  package var plans: Bool?
  /// Whether to tell of the queue's pauses as well; only with `jobs`, else they come anyway.
  package var queue: Bool?

  package init(
    from: Int? = nil, epoch: String? = nil, jobs: [JobID]? = nil, window: Int? = nil,
    plans: Bool? = nil, queue: Bool? = nil
  ) {
    self.from = from
    self.epoch = epoch
    self.jobs = jobs
    self.window = window
    self.plans = plans
    self.queue = queue
  }
}

/// Parameters of `unsubscribe`.
package struct UnsubscribeParameters: Sendable, Hashable, Codable {
  /// The number that `subscribe` answered.
  package var subscription: Int

  package init(_ subscription: Int) { self.subscription = subscription }
}

/// Parameters of `cancel`: which request of the same connection is not waited for any more.
///
/// Sent as a notification, to engines with the capability ``WireProtocol/cancel``. Only what is planned
/// and changes nothing is cancelled: `plan`, `updates` and `doctor`, which are answered soon then, mostly
/// with an error. Whatever else the id names, and an id that names nothing, is left alone.
package struct CancelParameters: Sendable, Hashable, Codable {
  /// The id of the request.
  package var id: RequestID

  package init(_ id: RequestID) { self.id = id }
}

/// A request for a job as it travels: what a client leaves out has its default.
package struct JobRequestParameters: Sendable, Hashable, Codable {
  package var operation: JobOperation
  package var updates: [Update]?
  package var options: InstallationOptions?

  package init(_ request: JobRequest) {
    operation = request.operation
    updates = request.updates
    options = request.options
  }

  /// The request it stands for.
  package var request: JobRequest {
    JobRequest(operation, updates ?? [], options: options ?? InstallationOptions())
  }
}
