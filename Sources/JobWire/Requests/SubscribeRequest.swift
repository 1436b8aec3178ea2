package import InstallJobs

/// `subscribe`: sends jobs and their events from now on.
package struct SubscribeRequest: WireRequest {
  package static let method = "subscribe"
  package static let kind = RequestKind.longView
  package static let withoutParameters: SubscribeRequest? = SubscribeRequest()

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

  /// The reply to `subscribe`.
  package struct Reply: Sendable, Hashable, Codable {
    /// The number of the subscription in its notifications.
    package var subscription: Int
    /// The event number after which events follow.
    package var seq: Int

    package init(subscription: Int, seq: Int) {
      self.subscription = subscription
      self.seq = seq
    }
  }
}

/// `unsubscribe`: ends a subscription.
package struct UnsubscribeRequest: WireRequest {
  package typealias Reply = EmptyReply
  package static let method = "unsubscribe"
  package static let kind = RequestKind.view

  /// The number in the reply to `subscribe`.
  package var subscription: Int

  package init(_ subscription: Int) { self.subscription = subscription }
}

/// `cancel`: the reply to a request of the same connection is no longer needed.
///
/// Sent as a notification, to engines with the capability ``WireProtocol/cancel``. Only lookups are
/// cancelled (see ``RequestKind/lookup``); their replies come soon then, mostly with an error. The
/// id of any other request, and an unknown id, change nothing.
package struct CancelRequest: WireRequest {
  package typealias Reply = EmptyReply
  package static let method = "cancel"
  package static let kind = RequestKind.view

  /// The id of the request.
  package var id: RequestID

  package init(_ id: RequestID) { self.id = id }
}
