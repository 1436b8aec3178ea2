import InstallJobs

/// Why a job does not proceed.
extension JobWords {
  /// Why the job does not proceed: the lock holder, the time of the last sign of life, the lost
  /// worker, the overdue stage, the queue; nil if it proceeds.
  package func waitReason(offset: Int) -> String? {
    guard job.hasLostWorker else { return blockReason(offset: offset) }
    return [job.activity, blockReason(offset: offset)].compactMap(\.self).joined(separator: "; ")
  }

  private func blockReason(offset: Int) -> String? {
    if job.state == .waitingForLock {
      guard let holder = job.waitingFor?.holder else {
        return "waits for the package lock"
          + (job.waitingFor.map { ": \($0.message)" } ?? "")
      }
      let who = "waits for \(holder.command ?? "a process") (pid \(holder.pid))"
      let doing = job.activity.map { ", which \($0)" } ?? ", which holds the package lock"
      return who + doing + (holder.canYield ? "; it yields when asked (:yield)" : "")
    }
    if job.isStalled {
      let cause = job.stall.map { ": \($0.message)\($0.remedy)" } ?? ""
      guard let last = job.lastActivityAt else { return "no sign of life" + cause }
      return "no sign of life since \(Figures.time(last, offset: offset))" + cause
    }
    if let overdue = job.overdue, !job.state.isFinal {
      return overdue.sentence(at: isPast ? nil : time, offset: offset)
    }
    let reason = job.waitingFor.map { QueueWords.sentence($0, offset: offset, now: now) }
    guard job.state == .queued else { return reason }
    let turn = job.isPaused ? reason : turnReason(offset: offset).map { $0 + times.words }
    let parts = [turn, prefetchActivity].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The work for a queued job before its turn: `its archives are being fetched`; nil if the engine
  /// reports none, and for jobs that are not queued.
  package var prefetchActivity: String? { job.state == .queued ? job.activity : nil }

  /// Why a queued job that is not paused has not begun: its start time, another job, a paused
  /// queue, or its turn.
  ///
  /// The reason comes from the present state of the queue. A snapshot of a new job has no reason,
  /// and the reason in an old snapshot may no longer apply.
  private func turnReason(offset: Int) -> String? {
    switch ownWait {
    case .job(let after): return "waits for job \(after) to end"
    case .time(.some): return ownStart(offset: offset).map { "does not start " + $0 }
    case .time(nil): return job.waitingFor?.message
    case nil: break
    }
    if let queuePause { return QueueWords.sentence(queuePause, offset: offset, now: now) }
    let ahead = atWork.map { "job \($0) goes first" }
    guard let told = job.waitingFor else { return ahead }
    switch told.kind {
    case .job where told.job != job.options.after: return ahead ?? told.message
    // The event for which the job waited has happened.
    case .job, .time: return ahead
    case .lock, .paused, .question: return QueueWords.sentence(told, offset: offset, now: now)
    }
  }

  /// The start time of a job that waits for one: `before 11-26 15:00:00`; nil for any other job.
  func ownStart(offset: Int) -> String? {
    guard case .time(let start?) = ownWait else { return nil }
    return "before \(Figures.moment(start, offset: offset, now: time))"
  }
}

extension StallCause {
  /// The remedy for a hanging maintainer script, which no abort can end; empty for other causes.
  fileprivate var remedy: String {
    guard kind == .script, let pid else { return "" }
    return "; if it hangs, only the end of process \(pid) lets the job continue"
  }
}
