import Canvas
package import InstallJobs

/// The reply to an abort request as a sentence for people.
package enum AbortWords: Sendable {
  /// - Parameters:
  ///   - disposition: The engine's reply.
  ///   - job: The job right after the reply, with its plan; nil if its snapshot is not available.
  /// - Returns: A sentence without its subject.
  package static func sentence(
    _ disposition: AbortDisposition, for job: JobSnapshot? = nil
  ) -> String {
    switch disposition {
    case .accepted(nil, _):
      "stops at once, "
        + (job?.options.isDownloadOnly ?? false
          ? JobSnapshot.archivesAreKept
          : job?.isUntouched ?? false ? "no package was begun" : "what is done stays")
    case .accepted(let name?, let eta):
      sanitize("stops after \(name)")
        + (eta.map { " (in about \(Figures.duration($0)))" } ?? "") + ", the rest is not started"
    case .refused(let reason): sanitize("is not aborted: \(reason.message)")
    case .alreadyCompleted: "was over already, nothing was changed"
    }
  }
}

extension AbortDisposition {
  /// The effect of an abort on `job`, as a sentence without its subject.
  package func sentence(for job: JobSnapshot) -> String {
    switch self {
    case .accepted(stopsAfter: nil, _) where job.state == .queued: "leaves the queue, not begun"
    case .accepted(stopsAfter: nil, _): "stops at once, \(job.stateAfterStop)"
    case .accepted(let stop?, let eta):
      "stops after \(stop)" + (eta.map { " (about \(Figures.duration($0)))" } ?? "")
    case .refused(let reason): "cannot stop: \(reason.message)"
    case .alreadyCompleted: "is over already"
    }
  }
}

extension JobSnapshot {
  /// The state of the packages if the job stops at once: `nothing unpacked`, `what is done stays`.
  var stateAfterStop: String {
    if options.isDownloadOnly { return Self.archivesAreKept }
    return isUntouched ? operation.unchanged : "what is done stays"
  }

  /// The state of the archives if a download job stops, at any point.
  static let archivesAreKept = "what has come is kept"
}

extension JobOperation {
  /// The words for an operation that has changed nothing yet.
  fileprivate var unchanged: String {
    switch self {
    case .install, .reinstall, .upgrade: "nothing unpacked"
    case .remove, .purge: "nothing removed"
    case .repair: "nothing changed"
    }
  }
}
