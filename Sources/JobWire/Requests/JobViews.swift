package import InstallJobs

/// `jobs`: the jobs of the engine, without their plans.
package struct JobsRequest: WireRequest {
  package typealias Reply = [JobSnapshot]
  package static let method = "jobs"
  package static let kind = RequestKind.longView
  package static let withoutParameters: JobsRequest? = JobsRequest()

  /// The states of the requested jobs; nil for every state.
  package var states: [JobState]?

  package init(states: [JobState]? = nil) { self.states = states }
}

/// `job`: one job with its plan.
package struct SingleSnapshotRequest: SingleJobRequest {
  package typealias Reply = JobSnapshot
  package static let method = "job"
  package static let kind = RequestKind.longView

  package var job: JobID
  package init(_ job: JobID) { self.job = job }
}

/// `request`: the request with which a job was submitted.
package struct SubmittedRequest: SingleJobRequest {
  package typealias Reply = JobRequest
  package static let method = "request"
  package static let kind = RequestKind.longView

  package var job: JobID
  package init(_ job: JobID) { self.job = job }
}

/// `history`: a page of ended jobs.
package struct HistoryRequest: WireRequest {
  package typealias Reply = [JobSnapshot]
  package static let method = "history"
  package static let kind = RequestKind.longView
  package static let withoutParameters: HistoryRequest? = HistoryRequest()

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

/// `log`: a piece of a job's log.
package struct LogRequest: SingleJobRequest {
  package static let method = "log"
  package static let kind = RequestKind.longView

  package var job: JobID
  /// The offset of the first byte; 0 by default.
  package var offset: Int64?
  /// Largest number of bytes; at most ``WireProtocol/maximumLogChunk``.
  package var limit: Int?

  package init(_ job: JobID, offset: Int64? = nil, limit: Int? = nil) {
    self.job = job
    self.offset = offset
    self.limit = limit
  }

  /// The reply to `log`.
  ///
  /// The text is the output of packages and untrusted until it is sanitised.
  package struct Reply: Sendable, Hashable, Codable {
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
}
