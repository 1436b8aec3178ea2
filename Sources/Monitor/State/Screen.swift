package import InstallJobs

/// A screen of the monitor; the top of a stack of screens is visible.
package enum Screen: Sendable, Hashable {
  /// Jobs at work, waiting jobs, and ended jobs that are not cleaned up.
  case queue
  /// Ended jobs, newest first.
  case history
  /// One job, with a bar for each package.
  case job(JobID)
  /// One job's log.
  case log(JobID)
  /// The times at which each package of a job was downloaded, unpacked and configured.
  case timeline(JobID)
  /// A new job: packages, plan, submission.
  case compose
  /// The preferences.
  case settings

  /// The kind of a screen, without its job.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case queue
    case job
    case log
    case history
    case timeline
    case compose
    case settings
    /// Any page of one job during its replay: keys apply to the replayed moment.
    case replay

    /// The screens with a tab and a number, in the order of the tabs.
    static let tabs: [Kind] = [.queue, .job, .log, .history, .timeline]
    /// The lists of jobs.
    static let lists: Set<Kind> = [.queue, .history]
    /// The screens about jobs: the lists and the pages of one job.
    static let jobs: Set<Kind> = [.queue, .history, .job, .log, .timeline]
    /// All kinds except the replay.
    static let live: Set<Kind> = Set(allCases).subtracting([.replay])

    /// The label of the tab.
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

  /// The kind of the screen.
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

  /// The screen's job; nil for a screen that is not about one job.
  package var job: JobID? {
    switch self {
    case .queue, .history, .compose, .settings: nil
    case .job(let id), .log(let id), .timeline(let id): id
    }
  }

  /// Whether the screen is a list of jobs.
  var isList: Bool { self == .queue || self == .history }
}
