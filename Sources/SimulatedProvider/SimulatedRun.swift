import FoundationEssentials
package import InstallJobs
package import PackageProvider
import Synchronization
import SystemPackage

/// The running scripted work of one job.
///
/// A stop takes effect exactly as answered: at once before the first change, later after the named
/// step.
package final class SimulatedRun: JobRun {
  /// The key of the offset that counts the reported acts of the script.
  package static let offsetKey = "script"

  private struct State {
    var part: SimulatedScript.Part
    var isOver = false
    var answer: StopAnswer?
    var player: Task<Void, Never>?
  }

  package let batches: AsyncStream<WorkBatch>
  private let continuation: AsyncStream<WorkBatch>.Continuation
  private let machine: SimulatedMachine
  private let script: SimulatedScript
  private let work: JobWork
  private let state: Mutex<State>

  /// Starts to play the script after the acts already played or reported.
  init(
    _ work: JobWork, machine: SimulatedMachine, record: SimulatedDatabase.Work,
    reported: Int, clock: any Clock<Duration>
  ) {
    self.work = work
    self.machine = machine
    script = SimulatedScript(
      work, index: machine.index, circumstances: record.circumstances)
    (batches, continuation) = AsyncStream.makeStream(of: WorkBatch.self)
    let position = max(record.position, reported)
    let next = script.acts.indices.contains(position) ? position : 0
    state = Mutex(State(part: script.acts[next].part))
    if let record = record.stop { _ = stop(record) }
    let player = Task { await self.play(on: clock, record: record, reported: reported) }
    state.withLock { $0.player = player }
  }

  package func requestStop(
    _ request: StopRequest, at time: Timestamp, under gate: GateLock
  ) async -> StopAnswer { stop(StopRecord(request, at: time)) }

  package func pendingStop() async -> PendingStop {
    let record = machine.withDatabase { $0.works[self.work.id.rawValue] }
    guard let answer = state.withLock({ $0.answer }) else {
      let goesOn = record.map { $0.stop == nil && $0.end == nil && !$0.isLost } ?? false
      return goesOn ? .none : .over
    }
    return .requested(record?.stop, answer)
  }

  package func withdrawStop(under gate: GateLock) async -> Bool {
    let withdrawn = state.withLock { state in
      guard !state.isOver, case .after = state.answer else { return false }
      state.answer = nil
      return true
    }
    if withdrawn { recordStop(nil) }
    return withdrawn
  }

  /// Stores or removes a stop request and writes it to disk before the answer is given.
  private func recordStop(_ record: StopRecord?) {
    machine.change { database in
      let earlier = database.works[self.work.id.rawValue]?.stop
      guard record == nil || record?.replaces(earlier) == true else { return }
      database.works[self.work.id.rawValue]?.stop = record
    }
    machine.save()
  }

  package func previewStop() async -> StopAnswer {
    state.withLock { $0.isOver ? .over : $0.answer ?? script.stopAnswer(in: $0.part) }
  }

  /// Whether the script ended or the work was abandoned.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Ends the run like SIGKILL: no further act is played or reported.
  func abandon() {
    let player = state.withLock { state in
      state.isOver = true
      return state.player
    }
    player?.cancel()
    continuation.finish()
  }

  private func stop(_ record: StopRecord) -> StopAnswer {
    let (answer, player) = state.withLock { state -> (StopAnswer, Task<Void, Never>?) in
      if state.isOver { return (.over, nil) }
      if let answer = state.answer { return (answer, nil) }
      let answer = script.stopAnswer(in: state.part)
      switch answer {
      case .atOnce:
        state.answer = answer
        return (answer, state.player)
      case .after:
        state.answer = answer
        return (answer, nil)
      case .finalStep, .over, .impossible: return (answer, nil)
      }
    }
    switch answer {
    case .atOnce, .after: recordStop(record)
    case .finalStep, .over, .impossible: break
    }
    // Only work that may stop at once is woken from its sleep.
    player?.cancel()
    return answer
  }

  // MARK: Playing

  private func play<C: Clock<Duration>>(
    on clock: C, record: SimulatedDatabase.Work, reported: Int
  ) async {
    let acts = script.acts
    let hasFolder = makeFolder()
    var logLength: Int64 = 0
    var index = 0
    // Acts that were played before are reported again only if the engine has not received them.
    while index < min(max(record.position, reported), acts.count) {
      // The engine received the act, but was killed before the machine was written.
      if index >= record.position, record.end == nil { recordAct(acts[index], at: index) }
      logLength += Int64(acts[index].log.utf8.count)
      if index >= reported { send(acts[index], at: index, logLength: hasFolder ? logLength : nil) }
      index += 1
    }
    if let end = record.end, acts.last?.reports.last != .ended(end) || index < acts.count {
      return endWork(end, position: index)
    }
    guard index < acts.count else { return finish() }
    let begun = index == 0 ? 0 : acts[index - 1].at
    let start = clock.now
    while index < acts.count {
      let act = acts[index]
      let deadline = start.advanced(by: .seconds(act.at - begun))
      if clock.now < deadline {
        try? await clock.sleep(until: deadline, tolerance: nil)
      } else {
        // Work without duration must not occupy a thread all the time.
        await Task.yield()
      }
      if let status = enter(act.part, after: index == 0 ? nil : acts[index - 1]) {
        return endWork(
          WorkEnd(exitStatus: status, stoppedAtBoundary: true), position: index)
      }
      guard !(state.withLock { $0.isOver }) else { return }
      logLength += Int64(act.log.utf8.count)
      if hasFolder, !act.log.isEmpty { appendLog(act.log) }
      if act.endsWork { state.withLock { $0.isOver = true } }
      recordAct(act, at: index)
      // The next part starts now, in the same step in which a stop is checked.
      if let next = acts.indices.contains(index + 1) ? acts[index + 1] : nil,
        next.part != act.part, let status = enter(next.part, after: act)
      {
        send(act, at: index, logLength: hasFolder ? logLength : nil)
        return endWork(WorkEnd(exitStatus: status, stoppedAtBoundary: true), position: index + 1)
      }
      send(act, at: index, logLength: hasFolder ? logLength : nil)
      index += 1
    }
    finish()
  }

  // Enters a part, unless a stop was requested before it; then returns the exit status.
  private func enter(_ part: SimulatedScript.Part, after act: SimulatedScript.Act?) -> Int32? {
    state.withLock { state in
      if state.isOver { return nil }
      let isBoundary: Bool
      switch state.answer {
      case .atOnce: isBoundary = true
      case .after(let step):
        isBoundary = part != state.part && state.part == .step(step)
      case .finalStep, .over, .impossible, nil: isBoundary = false
      }
      guard isBoundary else {
        state.part = part
        return nil
      }
      state.isOver = true
      return act?.exitStatus ?? 0
    }
  }

  /// Applies an act's changes to the machine.
  private func recordAct(_ act: SimulatedScript.Act, at index: Int) {
    var end: WorkEnd?
    if case .ended(let ended) = act.reports.last { end = ended }
    machine.advance(
      work.id, to: index + 1, act.changes, end: end, isLost: act.reports.last == .lost)
  }

  private func send(_ act: SimulatedScript.Act, at index: Int, logLength: Int64?) {
    var reports = act.reports
    if let logLength, !act.log.isEmpty { reports.insert(.log(length: logLength), at: 0) }
    continuation.yield(WorkBatch(reports, offsets: [Self.offsetKey: Int64(index + 1)]))
  }

  private func endWork(_ end: WorkEnd, position: Int) {
    machine.advance(work.id, to: position, [], end: end, isLost: false)
    continuation.yield(WorkBatch([.ended(end)], offsets: [Self.offsetKey: Int64(position)]))
    finish()
  }

  private func finish() {
    state.withLock { $0.isOver = true }
    continuation.finish()
  }

  /// Creates the job's folder for its log; returns whether the folder exists.
  private func makeFolder() -> Bool {
    try? FileManager.default.createDirectory(
      atPath: work.folder.path, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    return FileManager.default.fileExists(atPath: work.folder.path)
  }

  private func appendLog(_ text: String) {
    let file = try? FileDescriptor.open(
      FilePath(work.folder.path(.log)), .writeOnly, options: [.append, .create],
      permissions: [.ownerReadWrite, .groupRead, .otherRead])
    // Ignored: a folder that was cleaned up must not stop the work.
    _ = try? file?.closeAfter { try file?.writeAll(text.utf8) }
  }
}

extension SimulatedScript.Act {
  /// Whether the work is over after this act.
  package var endsWork: Bool {
    switch reports.last {
    case .ended, .lost: true
    default: false
    }
  }
}
