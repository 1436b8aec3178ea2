package import InstallJobs

/// What the monitor shows: the top of its stack of screens.
package enum Screen: Sendable, Hashable {
  /// Jobs that are at work, wait, or ended and are not cleaned up.
  case queue
  /// Ended jobs, newest first.
  case history
  /// One job with a bar for each package.
  case job(JobID)
  /// One job's log.
  case log(JobID)

  /// A screen without what it is about.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case queue
    case job
    case log
    case history

    /// The name on the tab.
    var title: String {
      switch self {
      case .queue: "Queue"
      case .job: "Job"
      case .log: "Log"
      case .history: "History"
      }
    }
  }

  /// Which screen it is.
  package var kind: Kind {
    switch self {
    case .queue: .queue
    case .history: .history
    case .job: .job
    case .log: .log
    }
  }

  /// The job it is about; nil for a list.
  package var job: JobID? {
    switch self {
    case .queue, .history: nil
    case .job(let id), .log(let id): id
    }
  }
}
