import InstallJobs
import PackageProvider

// A request to stop stands in the job's folder and is kept, whatever the journal does. While that
// takes nothing, whoever asks is answered as it will be recorded, and it is recorded before anything
// else of that job.
//
// The gate's lock is waited for before a request is fed into the job's machine. With it, the work
// answers on the engine's own executor (the package is built with NonisolatedNonsendingByDefault), so
// that nobody's request comes between its answer and what is recorded of it.
extension Engine {
  /// Waits until a job that is being started has started, and locks the gate of its work.
  ///
  /// Whatever holds the gate, other jobs and other requests do not wait for it.
  ///
  /// - Returns: The lock, to be released; or why there is none.
  /// - Throws: `unknownJob`; `busy` where the start takes long.
  func lockGate(of id: JobID) async throws(InstallationError) -> GateLock {
    while true {
      try await settled(id)
      guard let job = live[id], let run = job.run else { return .notNeeded }
      let starts = job.starts
      let gate = await run.lockGate()
      // Work that was started meanwhile has another gate.
      if live[id]?.starting == nil, live[id]?.starts ?? starts == starts { return gate }
      gate.release()
    }
  }

  /// Refuses a request that would have to be written under a gate that another process holds.
  func refuse(under gate: GateLock) throws(InstallationError) {
    guard let refusal = gate.refusal else { return }
    throw InstallationError(.busy, refusal, class: .transient, hint: "ask again")
  }

  /// Feeds a request to stop.
  ///
  /// - Returns: The actions; where the journal takes nothing, those of a request that only repeats what
  ///   was answered before, or that the work is to be asked.
  /// - Throws: A fault of the journal, with nothing asked for.
  func ask(
    _ request: JobMachine.Input, of id: JobID
  ) throws(InstallationError) -> [JobMachine.Action] {
    do throws(InstallationError) {
      return try feed(request, to: id)
    } catch {
      guard var machine = live[id]?.machine else { throw error }
      let time = settings.now()
      if let pending = live[id]?.pendingStop { _ = try? machine.handle(pending, at: time) }
      switch (machine.state, request) {
      case (.working(_, .suspend), .abort):
        // The work is asked: who wants it stopped for good does not wait behind who wants it held.
        var actions: [JobMachine.Action] = []
        live[id]?.rehearsed.change { actions = (try? $0.handle(request, at: time)) ?? [] }
        return actions
      case (.working(_, .abort), .abort), (.working(_, .suspend), .suspend):
        return (try? machine.handle(request, at: time)) ?? []
      default: throw error
      }
    }
  }

  /// Takes the work's answer to a request to stop.
  ///
  /// - Parameters:
  ///   - answer: The work's answer.
  ///   - input: The same for the job's machine, with who asked for what.
  ///   - id: The job.
  /// - Returns: The actions, to answer whoever asked.
  /// - Throws: A fault of the journal for a job that is not there any more.
  func handle(
    _ answer: StopAnswer, as input: JobMachine.Input, of id: JobID
  ) throws(InstallationError) -> [JobMachine.Action] {
    guard !answer.isStop else { return try note(input, of: id) }
    do throws(InstallationError) {
      return try feed(input, to: id)
    } catch {
      guard var machine = live[id]?.machine,
        let actions = try? machine.handle(input, at: settings.now())
      else { throw error }
      // Nothing stops, so nothing that stops later was asked for.
      live[id]?.rehearsed.change { $0.forgetRequest() }
      return actions
    }
  }

  /// Notes what became of a request to stop, now or as soon as the journal takes it.
  ///
  /// The work's own state is what counts: it has the request or has it no more.
  ///
  /// - Returns: The actions; those that will be recorded where the journal takes nothing.
  /// - Throws: A fault of the journal for a job that is not there any more.
  func note(
    _ input: JobMachine.Input, of id: JobID
  ) throws(InstallationError) -> [JobMachine.Action] {
    do throws(InstallationError) {
      return try feed(input, to: id)
    } catch {
      guard var machine = live[id]?.machine,
        let actions = try? machine.handle(input, at: settings.now())
      else { throw error }
      live[id]?.pendingStop = input
      live[id]?.rehearsed.change { $0.noteAnswer(at: settings.now()) }
      Task {
        await retryUntilStored("the answer to a request to stop", of: id) {
          engine throws(InstallationError) in try engine.recordPendingStop(of: id)
        }
      }
      return actions
    }
  }

  /// Takes over what an earlier engine had done about a stop and could not record any more.
  ///
  /// The work still has it: whether it is to stop, who asked, for what and when.
  func applyPendingStop(of id: JobID, from run: any JobRun) async {
    let standing = await run.pendingStop()
    // Behind the end of the work nothing is left to be recorded of a stop: that came before it.
    guard let job = live[id], job.machine.snapshot.state != .finalizing,
      case .working(_, let intention) = job.machine.state
    else { return }
    let input: JobMachine.Input
    switch (intention, standing) {
    case (.abort, .none), (.suspend, .none):
      let requester = lastToTakeBack(on: id) ?? job.requestedBy
      _ = try? note(.withdrawAnswered(true, by: requester), of: id)
      return
    case (.goOn, .asked(let stop?, let answer)), (.suspend, .asked(let stop?, let answer)):
      switch (intention, stop.request) {
      case (_, .abort(let requester)): input = .abortAnswered(answer, by: requester)
      case (.goOn, .suspend(let requester)): input = .suspendAnswered(answer, by: requester)
      case (_, .suspend): return
      }
      if !isOnSchedule(stop, of: job) { restoreAct(of: stop, on: id) }
      live[id]?.rehearsed.change { $0.assumeAsked(stop) }
    case (_, .asked), (_, .over), (.goOn, .none): return
    }
    _ = try? note(input, of: id)
  }

  // Nobody's act: the engine asked for it, at the time that was given with the job.
  private func isOnSchedule(_ stop: StopRecord, of job: LiveJob) -> Bool {
    guard case .abort(let requester) = stop.request, let stopBy = job.request.options.latestStop
    else {
      return false
    }
    return requester.uid == job.requestedBy.uid && stopBy <= stop.at
  }

  /// Puts on record what was answered to a request to stop, if that is still to be done.
  ///
  /// - Throws: A fault of the journal; it stays to be done then.
  func recordPendingStop(of id: JobID) throws(InstallationError) {
    guard let pending = live[id]?.pendingStop else { return }
    live[id]?.pendingStop = nil
    do throws(InstallationError) {
      try feed(pending, to: id)
    } catch {
      live[id]?.pendingStop = pending
      throw error
    }
  }
}
