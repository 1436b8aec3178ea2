import InstallJobs
import PackageTools

extension Engine {
  /// What the job at work and those that go before a new request in the queue will have done to the
  /// package root when the request has its turn.
  func pendingWork(before request: JobRequest) -> PendingWork {
    var ids = [queue.running].compactMap(\.self)
    ids += queue.entries.filter { !$0.isHeld && $0.priority >= request.options.priority }.map(\.id)
    if let after = request.options.after, !ids.contains(after) { ids.append(after) }
    var pending = PendingWork()
    for id in ids {
      if let machine = live[id]?.machine { machine.addPendingWork(to: &pending) }
    }
    return pending
  }
}

extension JobMachine {
  /// Adds what the job will have done when it is over: all of its plan, or up to where it stops.
  fileprivate func addPendingWork(to pending: inout PendingWork) {
    guard hasAcceptedAbort else { return pending.append(plan, of: snapshot.id) }
    // Where no package is named, none is begun any more.
    guard case .working(_, .abort(let step?)) = state else { return }
    pending.append(plan, of: snapshot.id, upTo: step)
  }
}
