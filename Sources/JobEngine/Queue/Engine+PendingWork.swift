import InstallJobs
import PackageProvider

extension Engine {
  /// The changes that the working job and the jobs ahead of a new request will have made to the
  /// package root before the request's job starts.
  func pendingWork(before request: JobRequest) -> PendingWork {
    var pending = PendingWork()
    for id in jobsAhead(of: request) {
      if let machine = live[id]?.machine { machine.addPendingWork(to: &pending) }
    }
    return pending
  }

  /// The working job and the queued jobs ahead of a new request, in the order in which they run.
  func jobsAhead(of request: JobRequest) -> [JobID] {
    queue.ahead(of: request.options, at: settings.now(), isOver: isOver)
  }
}

extension JobMachine {
  /// Adds the changes that the job will have made at its end: its whole plan, or the plan up to the
  /// step at which it stops.
  fileprivate func addPendingWork(to pending: inout PendingWork) {
    guard !isDownloadOnly else { return }
    guard hasAcceptedAbort else { return pending.append(plan, of: snapshot.id) }
    // Without a step the job begins no further package.
    guard case .working(_, .abort(let step?)) = state else { return }
    pending.append(plan, of: snapshot.id, upTo: step)
  }
}
