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
      job?.isUntouched ?? false
        ? "stops at once, no package was begun" : "stops at once, what is done stays"
    case .accepted(let name?, let eta):
      sanitize("stops after \(name)")
        + (eta.map { " (in about \(Figures.duration($0)))" } ?? "") + ", the rest is not started"
    case .refused(let reason): sanitize("goes on: \(reason.message)")
    case .alreadyCompleted: "was over already, nothing was changed"
    }
  }
}
