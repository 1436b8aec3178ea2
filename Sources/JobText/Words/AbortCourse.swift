package import InstallJobs

/// The course of an accepted abort: the requester, the times of request and acknowledgement, and
/// the time at which it took effect or the way in which the job ended before.
package struct AbortCourse: Sendable, Hashable {
  private let record: AbortRecord
  private let ending: Ending

  private enum Ending: Sendable, Hashable {
    case open
    case honoured(Timestamp)
    /// The job ended before it could stop; the value is a word: `finished`, `failed`,
    /// `interrupted`.
    case overtaken(String)
  }

  /// The course of the abort of `job`; nil if no abort was accepted.
  package init?(_ job: JobSnapshot) {
    guard let record = job.abort, case .accepted = record.disposition else { return nil }
    self.record = record
    ending =
      if let end = job.workOverAt {
        job.resultCode == .aborted ? .honoured(end) : .overtaken(Self.end(of: job))
      } else {
        .open
      }
  }

  private static func end(of job: JobSnapshot) -> String {
    guard job.state != .interrupted else { return "interrupted" }
    return switch job.resultCode {
    case .succeeded, .succeededWithErrors: "finished"
    case .failed, .aborted, .notStarted, .inProgress: "failed"
    }
  }

  /// The events after the request: `acknowledged 14:02:32`; empty if there are none.
  package func answer(offset: Int) -> String { followUps(offset).joined(separator: ", ") }

  /// The whole course: `abort asked for by ops at 14:02:31, acknowledged 14:02:32, honoured
  /// 14:02:40`.
  package func sentence(offset: Int) -> String {
    let time = Figures.time(record.requestedAt, offset: offset)
    return (["abort asked for by \(record.requestedBy.user) at \(time)"] + followUps(offset))
      .joined(separator: ", ")
  }

  private func followUps(_ offset: Int) -> [String] {
    var parts: [String] = []
    if let answered = record.acknowledgedAt {
      parts.append("acknowledged \(Figures.time(answered, offset: offset))")
    }
    switch ending {
    case .open: break
    case .honoured(let end): parts.append("honoured \(Figures.time(end, offset: offset))")
    case .overtaken(let end): parts.append("\(end) before the stop")
    }
    return parts
  }
}
