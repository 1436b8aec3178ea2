import GRDB
package import InstallJobs

/// A job that is missing from the journal and was found by its folder.
package struct ReadmittedJob: Sendable, Hashable {
  /// The number of the job before the loss.
  package var id: JobID
  package var proposal: JobProposal
  /// The time of submission, as far as it is known.
  package var submittedAt: Timestamp

  package init(id: JobID, proposal: JobProposal, submittedAt: Timestamp) {
    self.id = id
    self.proposal = proposal
    self.submittedAt = submittedAt
  }
}

extension Journal {
  /// The highest job number that was assigned; 0 before the first.
  package func lastJob() throws(InstallationError) -> JobID {
    try read { db in JobID(try MetaRow.load(db).lastJob) }
  }

  /// Inserts jobs under their old numbers, in the state of newly submitted jobs.
  ///
  /// One transaction. Later jobs get numbers above `lastJob`.
  ///
  /// - Parameters:
  ///   - jobs: Jobs with numbers above ``lastJob()``, in ascending order.
  ///   - lastJob: The highest job number that was ever assigned.
  ///   - notice: The text of the published notice.
  ///   - time: The time of the events.
  /// - Returns: The events to publish.
  /// - Throws: `journal`; nothing is stored then.
  package func restoreJobs(
    _ jobs: [ReadmittedJob], lastJob: JobID, notice: String, at time: Timestamp
  ) throws(InstallationError) -> [JobEvent] {
    let epoch = epoch
    // Uses the reserve: without this write, the end of a running job could not be recorded.
    return try write(mayUseReserve: true) { db, _, _ in
      // The epoch is a new one if commits are missing.
      try db.execute(sql: "UPDATE meta SET epoch = ?", arguments: [epoch])
      var meta = try MetaRow.load(db)
      meta.lastJob = max(meta.lastJob, lastJob.rawValue)
      var events: [JobEvent] = []
      func add(_ job: JobID?, _ payload: JobEvent.Payload) throws {
        meta.lastSeq += 1
        events.append(JobEvent(seq: meta.lastSeq, at: time, job: job, payload: payload))
      }
      try add(nil, .engine(EngineNotice(.started, notice)))
      for job in jobs {
        let proposal = job.proposal
        let made = JobSnapshot(
          id: job.id, request: proposal.request, plan: proposal.plan,
          requestedBy: proposal.requester, provider: proposal.provider, submittedAt: job.submittedAt
        )
        try db.insert(made, request: proposal.request, plan: proposal.plan)
        try add(job.id, .submitted(made.withoutPlan))
      }
      for event in events { try db.insert(event) }
      try meta.save(db)
      return events
    }
  }
}
