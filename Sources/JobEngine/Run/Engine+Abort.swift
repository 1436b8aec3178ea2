package import InstallJobs
import JobJournal
import PackageProvider

// Aborts: requested by a user, at the job's latest stop time, and their cancellation.
extension Engine {
  /// Requests the abort of a job and returns the work's answer at once (rows B15 to B22).
  package func requestAbort(
    of id: JobID, by requester: Requester
  ) async throws(InstallationError) -> AbortDisposition {
    let gate: GateLock
    do throws(InstallationError) {
      gate = try await lockGate(of: id)
    } catch {
      guard error.code == .busy else { throw error }
      return .refused(reason: AbortRefusal(.undeliverable, error.message))
    }
    defer { gate.release() }
    var actions = try requestStop(.abort(by: requester), of: id)
    for case .askStop(let request) in actions {
      guard let run = live[id]?.run else { break }
      let answer = await run.requestStop(request, at: settings.now(), under: gate)
      actions = try handle(answer, as: .abortAnswered(answer, by: requester), of: id)
      // The work stopped because of this request and the job ended before the answer arrived.
      if live[id] == nil, actions.isEmpty, answer.isStop,
        let abort = try journal.job(id, withPlan: false).abort
      {
        return abort.disposition
      }
      break
    }
    for case .answer(let disposition) in actions { return disposition }
    guard live[id] != nil else { return .alreadyCompleted }
    throw InstallationError(
      .internal, "the request to abort job \(id) was not answered", hint: "ask again")
  }

  /// Cancels a requested abort.
  ///
  /// - Throws: `invalidState` when no abort is requested, or the abort has already taken effect.
  package func withdrawAbort(
    of id: JobID, by requester: Requester
  ) async throws(InstallationError) {
    let gate = try await lockGate(of: id)
    defer { gate.release() }
    guard live[id] != nil else {
      throw InstallationError(
        .invalidState, "job \(id) is over, there is no abort to cancel", class: .fatal)
    }
    try refuse(under: gate)
    let actions = try dispatch(.withdrawAbort(by: requester), to: id)
    try throwRefusal(in: try await cancelStop(in: actions, of: id, under: gate))
  }

  /// Cancels the work's stop request if the actions ask for it.
  ///
  /// - Returns: The resulting actions; `actions` unchanged if they do not ask for it.
  func cancelStop(
    in actions: [JobMachine.Action], of id: JobID, under gate: GateLock
  ) async throws(InstallationError) -> [JobMachine.Action] {
    for case .cancelStop(let requester) in actions {
      guard let run = live[id]?.run else { break }
      let inTime = await run.withdrawStop(under: gate)
      let answer = JobMachine.Input.withdrawAnswered(inTime, by: requester)
      return inTime ? try recordStopOutcome(answer, of: id) : try dispatch(answer, to: id)
    }
    return actions
  }

  /// Schedules an abort at the job's latest stop time, whatever the job is doing then.
  func scheduleAbort(_ id: JobID, _ options: InstallationOptions) {
    guard let stopBy = options.latestStop else { return }
    let requester = live[id]?.requestedBy
    let timer = timer(at: stopBy) { engine in
      guard let requester else { return }
      await engine.abortAtLatestStop(id, by: requester)
    }
    live[id]?.stopTimer = timer
  }

  /// Requests the abort every second until it is accepted or finally refused.
  private func abortAtLatestStop(_ id: JobID, by requester: Requester) async {
    var isUndeliverable = false
    while live[id] != nil, !Task.isCancelled {
      // Only the first undeliverable request is recorded. After it, the work is asked directly
      // until it can be reached.
      let request = StopRequest.abort(by: requester)
      if isUndeliverable, let run = live[id]?.run,
        case .impossible = await run.requestStop(request, at: settings.now())
      {
        // Still unreachable: ask again after the pause.
      } else if let answer = try? await requestAbort(of: id, by: requester) {
        guard case .refused(let reason) = answer, reason.code == .undeliverable else { return }
        isUndeliverable = true
      }
      do { try await settings.clock.sleep(for: .seconds(1)) } catch { return }
    }
  }

  /// Whether the abort at the latest stop time was requested and then cancelled.
  func hasCancelledScheduledAbort(_ id: JobID, _ options: InstallationOptions)
    throws(InstallationError)
    -> Bool
  {
    guard let stopBy = options.latestStop, stopBy <= settings.now() else { return false }
    // Decided by the order of the events, not by the time of the cancellation: while the journal is
    // not writable, the cancellation of an earlier abort may be recorded late.
    var isAsked = false
    for event in try journal.events(after: 0, limit: .max, of: id) {
      switch event.payload {
      case .abortRequested(let record): isAsked = isAsked || record.requestedAt >= stopBy
      case .abortWithdrawn where isAsked: return true
      default: continue
      }
    }
    return false
  }
}
