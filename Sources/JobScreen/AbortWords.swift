import Canvas
package import InstallJobs

/// The answer to a request to abort, in a sentence for people.
package enum AbortWords: Sendable {
  package static func sentence(_ disposition: AbortDisposition) -> String {
    switch disposition {
    case .accepted(nil, _): "stops at once, no package was begun"
    case .accepted(let name?, let eta):
      sanitize("stops after \(name)")
        + (eta.map { " (in about \(Figures.duration($0)))" } ?? "") + ", the rest is not started"
    case .refused(let reason): sanitize("goes on: \(reason.message)")
    case .alreadyCompleted: "was over already, nothing was changed"
    }
  }
}
