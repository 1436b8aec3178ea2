import InstallJobs
import PackageProvider

// A request to stop is stored in the job's folder, independently of the journal. While the journal
// is not writable, the requester gets the answer that will be recorded; it is recorded before any
// other event of that job.
//
// The gate is locked before a request is passed to the job's machine. With the lock held, the work
// answers on the engine's own executor (the package is built with NonisolatedNonsendingByDefault),
// so that no other request comes between the answer and its record.
extension Engine {
  /// Waits until a starting job has started, and locks the gate of its work.
  ///
  /// Other jobs and other requests do not wait for the gate.
  ///
  /// - Returns: The lock, which the caller must release, or the reason why there is none.
  /// - Throws: `unknownJob`; `busy` when the start takes long.
  func lockGate(of id: JobID) async throws(InstallationError) -> GateLock {
    while true {
      try await waitUntilStarted(id)
      guard let job = live[id], let run = job.run else { return .notNeeded }
      let starts = job.starts
      let gate = await run.lockGate()
      // Work that was started meanwhile has another gate.
      if live[id]?.starting == nil, live[id]?.starts ?? starts == starts { return gate }
      gate.release()
    }
  }

  /// Refuses a request that requires a gate which another process holds.
  func refuse(under gate: GateLock) throws(InstallationError) {
    guard let refusal = gate.refusal else { return }
    throw InstallationError(.busy, refusal, class: .transient, hint: "ask again")
  }

  /// Passes a request to stop to the job's machine.
  ///
  /// - Returns: The actions. If the journal is not writable: the actions of a request that repeats
  ///   an earlier answer, or the action to ask the work.
  /// - Throws: An error of the journal; nothing was requested then.
  func requestStop(
    _ request: JobMachine.Input, of id: JobID
  ) throws(InstallationError) -> [JobMachine.Action] {
    do throws(InstallationError) {
      return try dispatch(request, to: id)
    } catch {
      guard var machine = live[id]?.machine else { throw error }
      let time = settings.now()
      if let pending = live[id]?.pendingStop { _ = try? machine.handle(pending, at: time) }
      switch (machine.state, request) {
      case (.working(_, .suspend), .abort):
        // The work is asked at once: an abort must not wait for the record of a pause.
        var actions: [JobMachine.Action] = []
        live[id]?.transactionalMachine.change {
          actions = (try? $0.handle(request, at: time)) ?? []
        }
        return actions
      case (.working(_, .abort), .abort), (.working(_, .suspend), .suspend):
        return (try? machine.handle(request, at: time)) ?? []
      default: throw error
      }
    }
  }

  /// Applies the work's answer to a request to stop.
  ///
  /// - Parameters:
  ///   - answer: The work's answer.
  ///   - input: The answer as an input of the job's machine, with the requester.
  ///   - id: The job.
  /// - Returns: The actions, which contain the answer for the requester.
  /// - Throws: An error of the journal for a job that is no longer live.
  func handle(
    _ answer: StopAnswer, as input: JobMachine.Input, of id: JobID
  ) throws(InstallationError) -> [JobMachine.Action] {
    guard !answer.isStop else { return try recordStopOutcome(input, of: id) }
    do throws(InstallationError) {
      return try dispatch(input, to: id)
    } catch {
      guard var machine = live[id]?.machine,
        let actions = try? machine.handle(input, at: settings.now())
      else { throw error }
      // The work does not stop, so the request has no later effect.
      live[id]?.transactionalMachine.change { $0.forgetRequest() }
      return actions
    }
  }

  /// Records the outcome of a request to stop, now or as soon as the journal is writable.
  ///
  /// The state of the work decides: it either has the request or no longer has it.
  ///
  /// - Returns: The actions; if the journal is not writable, the actions that will be recorded.
  /// - Throws: An error of the journal for a job that is no longer live.
  func recordStopOutcome(
    _ input: JobMachine.Input, of id: JobID
  ) throws(InstallationError) -> [JobMachine.Action] {
    do throws(InstallationError) {
      return try dispatch(input, to: id)
    } catch {
      guard var machine = live[id]?.machine,
        let actions = try? machine.handle(input, at: settings.now())
      else { throw error }
      live[id]?.pendingStop = input
      live[id]?.transactionalMachine.change { $0.noteAnswer(at: settings.now()) }
      Task {
        await retryUntilStored("the answer to a request to stop", of: id) {
          engine throws(InstallationError) in try engine.recordPendingStop(of: id)
        }
      }
      return actions
    }
  }

  /// Records a request to stop, or its cancellation, that an earlier engine had passed to the work
  /// and had not recorded.
  ///
  /// The work knows whether it is to stop, and the requester, the kind and the time of the request.
  func applyPendingStop(of id: JobID, from run: any JobRun) async {
    let standing = await run.pendingStop()
    // A job whose work has ended has no unrecorded stop: the stop would have been recorded first.
    guard let job = live[id], job.machine.snapshot.state != .finalizing,
      case .working(_, let intention) = job.machine.state
    else { return }
    let input: JobMachine.Input
    switch (intention, standing) {
    case (.abort, .none), (.suspend, .none):
      let requester = lastCanceller(on: id) ?? job.requestedBy
      _ = try? recordStopOutcome(.withdrawAnswered(true, by: requester), of: id)
      return
    case (.proceed, .requested(let stop?, let answer)),
      (.suspend, .requested(let stop?, let answer)):
      switch (intention, stop.request) {
      case (_, .abort(let requester)): input = .abortAnswered(answer, by: requester)
      case (.proceed, .suspend(let requester)): input = .suspendAnswered(answer, by: requester)
      case (_, .suspend): return
      }
      if !isOnSchedule(stop, of: job) { restoreAct(of: stop, on: id) }
      live[id]?.transactionalMachine.change { $0.assumeAsked(stop) }
    case (_, .requested), (_, .over), (.proceed, .none): return
    }
    _ = try? recordStopOutcome(input, of: id)
  }

  // An abort at the latest stop time is the engine's own request, not an audited act.
  private func isOnSchedule(_ stop: StopRecord, of job: LiveJob) -> Bool {
    guard case .abort(let requester) = stop.request, let stopBy = job.request.options.latestStop
    else {
      return false
    }
    return requester.uid == job.requestedBy.uid && stopBy <= stop.at
  }

  /// Records the pending answer to a request to stop, if there is one.
  ///
  /// - Throws: An error of the journal; the answer stays pending.
  func recordPendingStop(of id: JobID) throws(InstallationError) {
    guard let pending = live[id]?.pendingStop else { return }
    live[id]?.pendingStop = nil
    do throws(InstallationError) {
      try dispatch(pending, to: id)
    } catch {
      live[id]?.pendingStop = pending
      throw error
    }
  }
}
