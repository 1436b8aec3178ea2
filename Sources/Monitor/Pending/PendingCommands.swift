import InstallJobs
import JobText

/// Everything that was requested from the engine here and is not answered or not done.
///
/// Only the engine answers a key. Until then the message says that the command was sent, and after
/// ``answerTimeout`` that there is no answer. Aborts and clean-ups stay pending for longer: until
/// the job has stopped, or is cleaned up.
struct PendingCommands: Sendable {
  /// Seconds after which a missing answer is reported.
  static let answerTimeout = 2.0

  /// The commands of keys, except aborts; one group for each key.
  private(set) var groups: [CommandGroup] = []
  private var unanswered = UnansweredAborts()
  /// Jobs whose abort was requested here and not cancelled.
  private(set) var ownAborts: Set<JobID> = []
  /// Jobs to clean up once they have stopped, as chosen in the abort question.
  private(set) var cleanedAfterAbort: Set<JobID> = []
  /// A running clean-up of several jobs.
  private(set) var cleanUps: CleanUpRun?
  /// How aborted jobs ended that are being cleaned up because the abort question asked for that.
  private var abortOutcomes: [JobID: String] = [:]

  init() {}

  // MARK: Commands of keys

  func contains(_ command: EngineCommand) -> Bool {
    groups.contains { $0.open.contains(command) }
  }

  /// The first open command that matches.
  func first(where matches: (EngineCommand) -> Bool) -> EngineCommand? {
    for group in groups { if let command = group.open.first(where: matches) { return command } }
    return nil
  }

  /// Adds the commands of a key.
  ///
  /// The clean-up of a job in ``cleanUps`` is left out: the run reports its progress.
  mutating func add(_ commands: [EngineCommand], at time: Timestamp?) {
    let open = commands.filter { command in
      if case .cleanUp(let id) = command { !isCleanUpOfSeveral(id) } else { true }
    }
    if !open.isEmpty { groups.append(CommandGroup(open, since: time)) }
  }

  /// Removes a command that was done or has failed.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - time: The time here.
  ///   - failure: Why it failed; nil if it was done.
  /// - Returns: All commands of the same key, if this was the last open one.
  mutating func finish(
    _ command: EngineCommand, at time: Timestamp?, failure: String? = nil
  ) -> CommandGroup? {
    guard let index = groups.firstIndex(where: { $0.open.contains(command) }) else { return nil }
    groups[index].finish(command, failure: failure)
    restartTimeouts(at: time)
    return groups[index].open.isEmpty ? groups.remove(at: index) : nil
  }

  /// Applies the engine's answer that a command was done.
  ///
  /// A command with an event stays open until the event, so that its outcome is reported once, as
  /// the answer to the key.
  ///
  /// - Returns: The result of ``finish(_:at:failure:)``; nil for a command with an event.
  mutating func apply(answer command: EngineCommand, at time: Timestamp?) -> CommandGroup? {
    guard command.hasEvent else { return finish(command, at: time) }
    guard let index = groups.firstIndex(where: { $0.awaitsAnswer(command) }) else { return nil }
    groups[index].answer(command)
    restartTimeouts(at: time)
    return nil
  }

  /// Restarts the time-outs after an answer: the engine handles commands one after the other.
  private mutating func restartTimeouts(at time: Timestamp?) {
    guard let time else { return }
    for index in groups.indices { groups[index].restartTimeout(at: time) }
  }

  /// Whether the answer to a command is overdue.
  var isAnswerLate: Bool { groups.contains(where: \.isLate) }

  /// Marks the groups whose time-out has passed as reported; returns the latest of them.
  mutating func reportSilence(at time: Timestamp) -> CommandGroup? {
    var silent: CommandGroup?
    for index in groups.indices where groups[index].isOverdue(at: time) {
      groups[index].isSilenceReported = true
      silent = groups[index]
    }
    return silent
  }

  /// Removes and returns the groups that were answered but had no event within the time-out.
  ///
  /// There is no event if nothing changed, as for a job that is moved to its own place.
  mutating func removeEventless(at time: Timestamp) -> [CommandGroup] {
    let eventless = groups.filter { $0.isAnswered && $0.isOverdue(at: time) }
    if !eventless.isEmpty { groups.removeAll { $0.isAnswered && $0.isOverdue(at: time) } }
    return eventless
  }

  /// When the next time-out passes; nil if none is pending.
  var nextTimeout: Timestamp? {
    groups.lazy.filter { !$0.isSilenceReported }.compactMap(\.since).min()?
      .advanced(bySeconds: Self.answerTimeout)
  }

  // MARK: Aborts

  /// Adds the abort of jobs and drops their pending moves.
  ///
  /// - Parameters:
  ///   - ids: The jobs.
  ///   - cleansUp: Whether to clean up the jobs once they have stopped.
  ///   - time: The time here; nil if it is unknown.
  /// - Returns: The groups whose other commands are all finished.
  mutating func requestAborts(
    of ids: [JobID], cleansUp: Bool, at time: Timestamp?
  ) -> [CommandGroup] {
    unanswered.ask(ids, at: time)
    ownAborts.formUnion(ids)
    if cleansUp { cleanedAfterAbort.formUnion(ids) } else { cleanedAfterAbort.subtract(ids) }
    let aborted = Set(ids)
    for index in groups.indices { groups[index].dropMoves(of: aborted) }
    defer { groups.removeAll(where: \.open.isEmpty) }
    return groups.filter { $0.open.isEmpty && !$0.commands.isEmpty }
  }

  /// Removes the request time of an abort that is answered, or whose answer will not come.
  mutating func finishAbort(of id: JobID) { unanswered.close(id) }

  /// Removes an abort that has taken effect or was cancelled.
  mutating func endAbort(of id: JobID) { ownAborts.remove(id) }

  /// Removes the clean-up of a job after its abort; returns whether there was one.
  mutating func removeCleanUp(afterAbortOf id: JobID) -> Bool {
    cleanedAfterAbort.remove(id) != nil
  }

  /// Whether every abort was answered.
  var areAbortsAnswered: Bool { unanswered.isEmpty }

  /// Whole seconds since the abort of a job was requested; nil if it was not, or was answered.
  func abortAge(of id: JobID, at time: Timestamp?) -> Int? { unanswered.age(of: id, at: time) }

  /// Jobs whose aborts are not acknowledged in time.
  func unacknowledgedAborts(at time: Timestamp?) -> Set<JobID> {
    unanswered.unacknowledged(at: time)
  }

  /// When the next abort is not acknowledged in time; nil if none will be.
  func nextUnacknowledged(after time: Timestamp) -> Timestamp? {
    unanswered.nextUnacknowledged(after: time)
  }

  /// When the shown ages of aborts change next; nil if every abort was answered.
  func nextAbortAge(after time: Timestamp) -> Timestamp? { unanswered.nextChange(after: time) }

  // MARK: Clean-ups

  /// Whether the job belongs to the running clean-up of several jobs and is not cleaned up.
  func isCleanUpOfSeveral(_ id: JobID) -> Bool { cleanUps?.isAwaited(id) ?? false }

  /// Starts the clean-up of several jobs, or adds jobs to the running one.
  ///
  /// A single job is not counted unless such a clean-up is running.
  mutating func addCleanUps(_ ids: [JobID]) {
    guard ids.count > 1 || cleanUps != nil else { return }
    if cleanUps == nil { cleanUps = CleanUpRun(ids) } else { cleanUps?.add(ids) }
  }

  /// Applies the outcome of a job in the clean-up of several jobs.
  ///
  /// - Parameter apply: Records the outcome in the run.
  /// - Returns: The run, which ends with the outcome of its last job.
  mutating func updateCleanUps(_ apply: (inout CleanUpRun) -> Void) -> CleanUpRun? {
    guard var run = cleanUps else { return nil }
    apply(&run)
    cleanUps = run.isOver ? nil : run
    return run
  }

  /// Keeps how an aborted job ended, for the report after its clean-up.
  mutating func keepAbortOutcome(_ text: String, of id: JobID) { abortOutcomes[id] = text }

  /// Removes and returns how an aborted job ended.
  mutating func removeAbortOutcome(of id: JobID) -> String? {
    abortOutcomes.removeValue(forKey: id)
  }

  // MARK: Reconnection

  /// What became of aborts and clean-ups while the engine was not connected.
  struct Reconnection: Sendable {
    /// The clean-up of several jobs, with an outcome for each; nil if there was none.
    var cleanUps: CleanUpRun?
    /// Jobs that are not cleaned up after all, because no abort of theirs is in effect.
    var keptJobs: [JobID]
    /// Stopped jobs to clean up now.
    var stoppedJobs: [JobSnapshot]
  }

  /// Applies the jobs after a reconnection: no answer to an earlier command will come.
  mutating func reconnect(_ job: (JobID) -> JobSnapshot?) -> Reconnection {
    groups = []
    unanswered = UnansweredAborts()
    ownAborts = ownAborts.filter { job($0)?.isStopping ?? false }
    abortOutcomes = abortOutcomes.filter { job($0.key) != nil }
    var run = cleanUps
    run?.update(job)
    cleanUps = nil
    let wanted = cleanedAfterAbort.sorted()
    // If a job is not stopping any more, its abort was cancelled meanwhile or never arrived. A
    // later abort is another user's and no reason to clean up.
    let aborted = wanted.compactMap(job).filter { $0.isStopping || $0.state.isFinal }
    cleanedAfterAbort = Set(aborted.map(\.id))
    return Reconnection(
      cleanUps: run, keptJobs: wanted.filter { !cleanedAfterAbort.contains($0) },
      stoppedJobs: aborted.filter(\.state.isFinal))
  }
}
