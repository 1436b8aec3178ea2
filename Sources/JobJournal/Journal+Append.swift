import FoundationEssentials
import GRDB
package import InstallJobs

/// A durable event before it has a number.
package struct EventDraft: Sendable, Hashable {
  /// The job it belongs to; nil for events of the engine itself.
  package var job: JobID?
  package var payload: JobEvent.Payload
  /// The progress of the job; nil if it is not recorded.
  package var progressMark: JobEvent.ProgressMark?

  package init(
    _ job: JobID?, _ payload: JobEvent.Payload, progressMark: JobEvent.ProgressMark? = nil
  ) {
    self.job = job
    self.payload = payload
    self.progressMark = progressMark
  }
}

/// A planned and permitted request that is to become a job.
package struct JobProposal: Sendable, Hashable {
  /// The request.
  package var request: JobRequest
  /// The plan.
  package var plan: JobPlan
  /// The user, as identified by the kernel.
  package var requester: Requester
  /// The package system's name.
  package var provider: String
  /// The expected duration of the work; nil if unknown.
  package var expected: ExpectedWork?

  package init(
    _ request: JobRequest, plan: JobPlan, requestedBy: Requester, provider: String,
    expected: ExpectedWork? = nil
  ) {
    self.expected = expected
    self.request = request
    self.plan = plan
    self.requester = requestedBy
    self.provider = provider
  }
}

/// The result of a submission.
package struct Submission: Sendable, Hashable {
  /// The job with its plan: the new job, or the existing job with the same token.
  package var snapshot: JobSnapshot
  /// The `submitted` event; nil if the job existed already.
  package var event: JobEvent?
}

extension Journal {
  /// Numbers and stores events, applies them to their jobs, and stores file offsets and samples.
  ///
  /// One transaction: on return everything is on disk; on an error nothing has changed. Event
  /// numbers increase by one over the whole engine, without gaps, and are never reused.
  ///
  /// - Parameters:
  ///   - drafts: Events in the order in which they happened; may be empty.
  ///   - offsets: For each job and file name, the number of bytes of the file that were processed.
  ///   - samples: Measured durations, see ``durations(of:package:limit:)``.
  ///   - time: The time of the events.
  ///   - mayUseReserve: Whether the reserve may be released if the file system is full.
  /// - Returns: The numbered events, in the order of `drafts`.
  /// - Throws: `unknownJob`; `internal` for an event that is not durable, a `submitted` event (see
  ///   ``submit(_:at:)``), a final result whose number of updates differs from the job's, or a
  ///   negative offset; `journal`.
  package func append(
    _ drafts: [EventDraft], offsets: [JobID: [String: Int64]] = [:],
    samples: [DurationSample] = [], at time: Timestamp, mayUseReserve: Bool = false
  ) throws(InstallationError) -> [JobEvent] {
    for draft in drafts { try Self.check(draft.payload) }
    return try write(mayUseReserve: mayUseReserve) { db, live, changed in
      var meta = try MetaRow.load(db)
      var events: [JobEvent] = []
      events.reserveCapacity(drafts.count)
      for draft in drafts {
        meta.lastSeq += 1
        let event = JobEvent(
          seq: meta.lastSeq, at: time, job: draft.job, payload: draft.payload,
          progressMark: draft.progressMark)
        events.append(event)
        guard let id = draft.job else {
          try db.insert(event)
          try db.keepPause(event.payload)
          continue
        }
        var job = try changed[id] ?? live[id] ?? db.liveJob(id)
        try db.insert(event)
        try db.apply(event, to: &job)
        changed[id] = job
      }
      for (id, var job) in changed {
        try db.update(&job)
        changed[id] = job
      }
      for (job, files) in offsets { try db.store(files, of: job) }
      if !samples.isEmpty { try db.insert(samples) }
      try meta.save(db)
      return events
    }
  }

  /// Creates jobs from proposals: gives each the next number and stores its `submitted` event.
  ///
  /// One transaction, so that many requests cost one write to the disk. A proposal with a token
  /// that any user has used before changes nothing and returns that job.
  ///
  /// - Parameters:
  ///   - proposals: The proposals, in the order of the job numbers.
  ///   - time: The time of submission.
  /// - Returns: One submission for each proposal, in their order.
  /// - Throws: `journal`; nothing is stored then.
  package func submit(
    _ proposals: [JobProposal], at time: Timestamp
  ) throws(InstallationError) -> [Submission] {
    try write { db, _, _ in
      var meta = try MetaRow.load(db)
      let submissions = try proposals.map { try db.submit($0, at: time, counting: &meta) }
      try meta.save(db)
      return submissions
    }
  }

  /// Creates a job from one planned request, as ``submit(_:at:)``.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - plan: The plan.
  ///   - requester: The user, as identified by the kernel.
  ///   - provider: The package system's name.
  ///   - expected: The expected duration of the work; nil if unknown.
  ///   - time: The time of submission.
  /// - Returns: The job with its plan, and the event to publish.
  /// - Throws: `journal`; nothing is stored then.
  package func submit(
    _ request: JobRequest, plan: JobPlan, requestedBy requester: Requester, provider: String,
    expected: ExpectedWork? = nil, at time: Timestamp
  ) throws(InstallationError) -> Submission {
    let proposal = JobProposal(
      request, plan: plan, requestedBy: requester, provider: provider, expected: expected)
    return try write { db, _, _ in
      var meta = try MetaRow.load(db)
      let submission = try db.submit(proposal, at: time, counting: &meta)
      try meta.save(db)
      return submission
    }
  }

  private static func check(_ payload: JobEvent.Payload) throws(InstallationError) {
    var reason: String?
    if !payload.isDurable { reason = "it is not durable" }
    if case .submitted = payload { reason = "a job is made by submitting it" }
    guard let reason else { return }
    throw InstallationError(
      .internal, "cannot store an event '\(payload.type)': \(reason)", class: .fatal,
      hint: "report this as a fault")
  }
}

extension Database {
  fileprivate func submit(
    _ proposal: JobProposal, at time: Timestamp, counting meta: inout MetaRow
  ) throws -> Submission {
    if let token = proposal.request.options.token, let id = try job(token: token) {
      return Submission(snapshot: try snapshot(id, withPlan: true), event: nil)
    }
    meta.lastJob += 1
    meta.lastSeq += 1
    let id = JobID(meta.lastJob)
    var made = JobSnapshot(
      id: id, request: proposal.request, plan: proposal.plan, requestedBy: proposal.requester,
      provider: proposal.provider, submittedAt: time)
    made.expected = proposal.expected
    let event = JobEvent(
      seq: meta.lastSeq, at: time, job: id, payload: .submitted(made.withoutPlan))
    try insert(made, request: proposal.request, plan: proposal.plan)
    try insert(event)
    return Submission(snapshot: made, event: event)
  }
}
