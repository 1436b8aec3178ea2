import GRDB
package import InstallJobs

/// A job that is in the journal no more, or not yet, and is known from its folder.
package struct ReadmittedJob: Sendable, Hashable {
  /// The number that it had.
  package var id: JobID
  package var proposal: JobProposal
  /// When it was submitted, as far as that is known.
  package var submittedAt: Timestamp

  package init(id: JobID, proposal: JobProposal, submittedAt: Timestamp) {
    self.id = id
    self.proposal = proposal
    self.submittedAt = submittedAt
  }
}

extension Journal {
  /// The highest number that a job was given; 0 before the first.
  package func lastJob() throws(InstallationError) -> JobID {
    try read { db in JobID(try MetaRow.load(db).lastJob) }
  }

  /// Takes jobs in under the numbers that they had, as jobs that have just been submitted.
  ///
  /// All in one transaction. Later jobs are numbered from `lastJob` on.
  ///
  /// - Parameters:
  ///   - jobs: Jobs with numbers above ``lastJob()``, in their order.
  ///   - lastJob: The highest number that was ever given.
  ///   - notice: What everybody is told of it.
  ///   - time: When that was found.
  /// - Returns: The events to publish.
  /// - Throws: `journal`; nothing is stored then.
  package func readmit(
    _ jobs: [ReadmittedJob], lastJob: JobID, notice: String, at time: Timestamp
  ) throws(InstallationError) -> [JobEvent] {
    let epoch = epoch
    // Without it no end of a job that is at work could be recorded.
    return try write(mayUseReserve: true) { db, _, _ in
      // Another one than before where commits are missing.
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
