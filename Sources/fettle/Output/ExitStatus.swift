import ArgumentParser
import InstallJobs

/// The exit statuses of `fettle`.
enum ExitStatus: Int32, Sendable {
  case succeeded = 0
  case failed = 1
  case succeededWithErrors = 3
  case aborted = 4
  case noEngine = 5
  case notPermitted = 6
  case refused = 7
  case busy = 8
  case interrupted = 9
  case usage = 64
  case viewerLeft = 130

  /// The status for an ended job.
  init(_ job: JobSnapshot) {
    self =
      switch (job.state, job.resultCode) {
      case (.interrupted, _): .interrupted
      case (_, .succeeded): .succeeded
      case (_, .succeededWithErrors): .succeededWithErrors
      case (_, .aborted): .aborted
      // The time-out for the package lock expired.
      case (_, .failed) where job.error?.code == .busy: .busy
      case (_, .failed), (_, .notStarted), (_, .inProgress): .failed
      }
  }

  /// The status for an error.
  init(_ error: InstallationError) {
    self =
      switch error.code {
      case .engineUnreachable, .protocolMismatch: .noEngine
      case .notPermitted: .notPermitted
      case .busy, .timedOut: .busy
      case .invalidArgument, .invalidIndex, .unknownJob, .noUpdates, .contradiction: .usage
      case .interrupted: .interrupted
      case .internal, .journal: .failed
      default: .refused
      }
  }

  /// Returns the worse of two statuses; the exit status for several jobs.
  func worse(_ other: ExitStatus) -> ExitStatus {
    let order: [ExitStatus] = [.succeeded, .succeededWithErrors, .aborted, .interrupted, .failed]
    let mine = order.firstIndex(of: self) ?? order.endIndex
    return (order.firstIndex(of: other) ?? order.endIndex) > mine ? other : self
  }
}
