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
  /// When each package of one job was downloaded, unpacked and configured.
  case timeline(JobID)
  /// A job being written: packages, plan, submission.
  case compose
  /// How the monitor looks and behaves.
  case settings

  /// A screen without what it is about.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case queue
    case job
    case log
    case history
    case timeline
    case compose
    case settings
    /// Any page about one job while it is replayed: keys are about the moment then.
    case replay

    /// The screens that have a tab and a number, in their order.
    static let tabs: [Kind] = [.queue, .job, .log, .history, .timeline]
    /// The lists of jobs.
    static let lists: Set<Kind> = [.queue, .history]
    /// The screens about jobs: lists and what shows one job.
    static let jobs: Set<Kind> = [.queue, .history, .job, .log, .timeline]
    /// The screens that show jobs as they are.
    static let live: Set<Kind> = Set(allCases).subtracting([.replay])

    /// The name on the tab.
    var title: String {
      switch self {
      case .queue: "Queue"
      case .job: "Job"
      case .log: "Log"
      case .history: "History"
      case .timeline: "Timeline"
      case .compose: "New job"
      case .settings: "Settings"
      case .replay: "Replay"
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
    case .timeline: .timeline
    case .compose: .compose
    case .settings: .settings
    }
  }

  /// The job it is about; nil for a screen that is about no one job.
  package var job: JobID? {
    switch self {
    case .queue, .history, .compose, .settings: nil
    case .job(let id), .log(let id), .timeline(let id): id
    }
  }

  /// Whether it is a list of jobs.
  var isList: Bool { self == .queue || self == .history }
}
