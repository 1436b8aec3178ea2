import InstallJobs

/// How an accepted abort went: who asked and when, when it was acknowledged, and when it took effect
/// or how the job ended before.
struct AbortCourse: Sendable, Hashable {
  private let record: AbortRecord
  private let ending: Ending

  private enum Ending: Sendable, Hashable {
    case open
    case honoured(Timestamp)
    /// How the job ended before it could stop.
    case overtaken(String)
  }

  /// The course of the abort that `job` carries; nil where none was accepted.
  init?(_ job: JobSnapshot) {
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

  /// What became of the request after it was made: `acknowledged 14:02:32`; empty for nothing.
  func answer(offset: Int) -> String { later(offset).joined(separator: ", ") }

  /// `abort asked for by ops at 14:02:31, acknowledged 14:02:32, honoured 14:02:40`.
  func sentence(offset: Int) -> String {
    let time = Figures.time(record.requestedAt, offset: offset)
    return (["abort asked for by \(record.requestedBy.user) at \(time)"] + later(offset))
      .joined(separator: ", ")
  }

  private func later(_ offset: Int) -> [String] {
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
