package import InstallJobs

/// Parameters of `hello`: the client, its version and its requested rights.
package struct HelloParameters: Sendable, Hashable, Codable {
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

/// Parameters of the requests about one job.
package struct JobParameters: Sendable, Hashable, Codable {
  /// The job's number.
  package var job: JobID

  package init(_ job: JobID) { self.job = job }
}

/// Parameters of `jobs`.
package struct JobsParameters: Sendable, Hashable, Codable {
  /// The states of the requested jobs; nil for every state.
  package var states: [JobState]?

  package init(states: [JobState]? = nil) { self.states = states }
}

/// Parameters of `history`: a filter and a page.
package struct HistoryParameters: Sendable, Hashable, Codable {
  /// The filter; nil for all ended jobs.
  package var filter: HistoryFilter?
  /// The last job before the page; nil for the first page.
  package var after: JobID?
  /// Largest number of jobs; at most ``WireProtocol/maximumHistoryPage``, which is the default.
  package var limit: Int?

  package init(_ filter: HistoryFilter? = nil, after: JobID? = nil, limit: Int? = nil) {
    self.filter = filter
    self.after = after
    self.limit = limit
  }
}

/// Parameters of `audit`: a filter and a page.
package struct AuditParameters: Sendable, Hashable, Codable {
  /// The filter; nil for all entries.
  package var filter: AuditFilter?
  /// Only entries with smaller numbers; nil for the first page.
  package var before: Int64?
  /// Largest number of entries; at most ``WireProtocol/maximumAuditPage``, which is the default.
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
  /// The offset of the piece in the archive, in bytes.
  package var offset: Int64
  /// The bytes of the piece; at most ``WireProtocol/maximumPiece``.
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
  /// The offset of the first byte; 0 by default.
  package var offset: Int64?
  /// Largest number of bytes; at most ``WireProtocol/maximumLogChunk``.
  package var limit: Int?

  package init(job: JobID, offset: Int64? = nil, limit: Int? = nil) {
    self.job = job
    self.offset = offset
    self.limit = limit
  }
}

/// Parameters of `subscribe`.
package struct SubscribeParameters: Sendable, Hashable, Codable {
  /// The event after which durable events are sent, without a snapshot; nil to start with a
  /// snapshot.
  package var from: Int?
  /// The epoch of the journal that numbers `from`, as given by `hello`.
  ///
  /// Another epoch is an error.
  package var epoch: String?
  /// The jobs to follow, without events of the engine itself; nil for everything.
  package var jobs: [JobID]?
  /// Largest number of rows in the snapshot: first unfinished jobs, then the newest.
  package var window: Int?
  /// Whether the rows include the plans; only together with `jobs`.
  package var plans: Bool?
  /// Whether to send notices about the queue; only together with `jobs`, because without `jobs`
  /// they are always sent.
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
  /// The number in the reply to `subscribe`.
  package var subscription: Int

  package init(_ subscription: Int) { self.subscription = subscription }
}

/// Parameters of `cancel`: the request of the same connection whose reply is no longer needed.
///
/// Sent as a notification, to engines with the capability ``WireProtocol/cancel``. Only lookups are
/// cancelled (see ``WireRequest/Method/isLookup``); their replies come soon then, mostly with an
/// error. The id of any other request, and an unknown id, change nothing.
package struct CancelParameters: Sendable, Hashable, Codable {
  /// The id of the request.
  package var id: RequestID

  package init(_ id: RequestID) { self.id = id }
}

/// A job request in JSON.
///
/// Fields that a client omits have their defaults.
package struct JobRequestParameters: Sendable, Hashable, Codable {
  package var operation: JobOperation
  package var updates: [Update]?
  package var options: InstallationOptions?

  package init(_ request: JobRequest) {
    operation = request.operation
    updates = request.updates
    options = request.options
  }

  /// The job request with its defaults.
  package var request: JobRequest {
    JobRequest(operation, updates ?? [], options: options ?? InstallationOptions())
  }
}
