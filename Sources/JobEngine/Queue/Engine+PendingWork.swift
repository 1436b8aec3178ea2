import InstallJobs
import PackageProvider

extension Engine {
  /// What the job at work and those that go before a new request in the queue will have done to the
  /// package root when the request has its turn.
  func pendingWork(before request: JobRequest) -> PendingWork {
    var pending = PendingWork()
    for id in jobsAhead(of: request) {
      if let machine = live[id]?.machine { machine.addPendingWork(to: &pending) }
    }
    return pending
  }

  /// The job at work and those that go before a new request in the queue, in the order of their turns.
  func jobsAhead(of request: JobRequest) -> [JobID] {
    queue.ahead(of: request.options, at: settings.now(), isOver: isOver)
  }
}

extension JobMachine {
  /// Adds what the job will have done when it is over: all of its plan, or up to where it stops.
  fileprivate func addPendingWork(to pending: inout PendingWork) {
    guard !isDownloadOnly else { return }
    guard hasAcceptedAbort else { return pending.append(plan, of: snapshot.id) }
    // Where no package is named, none is begun any more.
    guard case .working(_, .abort(let step?)) = state else { return }
    pending.append(plan, of: snapshot.id, upTo: step)
  }
}
