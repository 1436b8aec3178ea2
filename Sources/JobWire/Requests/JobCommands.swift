package import InstallJobs

/// `abort`: ends a job for good at a safe point.
package struct AbortRequest: SingleJobRequest {
  package typealias Reply = AbortDisposition
  package static let method = "abort"
  package static let kind = RequestKind.act

  package var job: JobID
  package init(_ job: JobID) { self.job = job }
}

/// `withdraw`: cancels the abort of a job.
package struct WithdrawRequest: SingleJobRequest {
  package typealias Reply = EmptyReply
  package static let method = "withdraw"
  package static let kind = RequestKind.act

  package var job: JobID
  package init(_ job: JobID) { self.job = job }
}

/// `cleanUp`: deletes a job's archives and work files.
package struct CleanUpRequest: SingleJobRequest {
  package typealias Reply = EmptyReply
  package static let method = "cleanUp"
  package static let kind = RequestKind.act

  package var job: JobID
  package init(_ job: JobID) { self.job = job }
}

/// `suspend`: pauses a job.
package struct SuspendRequest: SingleJobRequest {
  package typealias Reply = EmptyReply
  package static let method = "suspend"
  package static let kind = RequestKind.act

  package var job: JobID
  package init(_ job: JobID) { self.job = job }
}

/// `resume`: resumes a job.
package struct ResumeRequest: SingleJobRequest {
  package typealias Reply = EmptyReply
  package static let method = "resume"
  package static let kind = RequestKind.act

  package var job: JobID
  package init(_ job: JobID) { self.job = job }
}

/// `move`: gives a waiting job a new place in the queue.
package struct MoveRequest: SingleJobRequest {
  package typealias Reply = JobSnapshot
  package static let method = "move"
  package static let kind = RequestKind.act

  package var job: JobID
  /// The new place in the queue.
  package var place: QueueMove

  package init(_ job: JobID, to place: QueueMove) {
    self.job = job
    self.place = place
  }

  private enum Key: String, CodingKey { case job, to, priority }
  private enum Word: String, Codable { case first, last }

  package init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    job = try box.decode(JobID.self, forKey: .job)
    switch try box.decodeIfPresent(Word.self, forKey: .to) {
    case .first?: place = .first
    case .last?: place = .last
    case nil: place = .priority(try box.decode(Int.self, forKey: .priority))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(job, forKey: .job)
    switch place {
    case .first: try box.encode(Word.first, forKey: .to)
    case .last: try box.encode(Word.last, forKey: .to)
    case .priority(let priority): try box.encode(priority, forKey: .priority)
    }
  }
}
