package import InstallJobs

/// Parameters of `move`: a waiting job and its new place in the queue.
package struct MoveParameters: Sendable, Hashable {
  /// The job's number.
  package var job: JobID
  /// The new place in the queue.
  package var place: QueueMove

  package init(_ job: JobID, to place: QueueMove) {
    self.job = job
    self.place = place
  }
}

extension MoveParameters: Codable {
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
