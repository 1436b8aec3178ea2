import Canvas
package import InstallJobs

/// The answer to a request to abort, in a sentence for people.
package enum AbortWords: Sendable {
  /// - Parameters:
  ///   - disposition: The engine's answer.
  ///   - job: The job as it was right after it, with its plan; nil where it could not be asked for.
  /// - Returns: A sentence without its subject.
  package static func sentence(
    _ disposition: AbortDisposition, for job: JobSnapshot? = nil
  ) -> String {
    switch disposition {
    case .accepted(nil, _):
      "stops at once, "
        + (job?.options.isDownloadOnly ?? false
          ? JobSnapshot.whatCameStays
          : job?.isUntouched ?? false ? "no package was begun" : "what is done stays")
    case .accepted(let name?, let eta):
      sanitize("stops after \(name)")
        + (eta.map { " (in about \(Figures.duration($0)))" } ?? "") + ", the rest is not started"
    case .refused(let reason): sanitize("goes on: \(reason.message)")
    case .alreadyCompleted: "was over already, nothing was changed"
    }
  }
}

extension AbortDisposition {
  /// What an abort does to `job`, in a sentence without its subject.
  func sentence(for job: JobSnapshot) -> String {
    switch self {
    case .accepted(stopsAfter: nil, _) where job.state == .queued: "leaves the queue, not begun"
    case .accepted(stopsAfter: nil, _): "stops at once, \(job.whatStays)"
    case .accepted(let stop?, let eta):
      "stops after \(stop)" + (eta.map { " (about \(Figures.duration($0)))" } ?? "")
    case .refused(let reason): "cannot stop: \(reason.message)"
    case .alreadyCompleted: "is over already"
    }
  }
}

extension JobSnapshot {
  /// What is true of a job that stops at once.
  var whatStays: String {
    if options.isDownloadOnly { return Self.whatCameStays }
    return isUntouched ? operation.nothingDone : "what is done stays"
  }

  /// What is true of a job that fetches archives whenever it stops.
  static let whatCameStays = "what has come is kept"
}

extension JobOperation {
  /// What is true of an operation that has changed nothing yet.
  fileprivate var nothingDone: String {
    switch self {
    case .install, .reinstall, .upgrade: "nothing unpacked"
    case .remove, .purge: "nothing removed"
    case .repair: "nothing changed"
    }
  }
}
