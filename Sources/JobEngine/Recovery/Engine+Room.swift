import InstallJobs
import JobJournal
import Logging

/// Behaviour of the engine while its state folder's file system is full.
///
/// The journal releases its reserve for the ends of working jobs, for requests to abort or pause a
/// job, and for clean-ups. From then on no job starts and none is accepted, until the reserve can
/// be created again.
extension Engine {
  /// Acts that need room and free none, by their names in the protocol.
  static let actsThatNeedRoom: Set<String> = ["submit", "upload"]
  /// Seconds between two attempts to create the reserve.
  private static let roomInterval = 1.0

  /// The error that refuses new jobs because the disk is full.
  ///
  /// Nil while the journal's reserved disk space is held, and for a journal that reserves none.
  var roomShortage: InstallationError? {
    guard let reserve = journal.reserve, !reserve.isHeld else { return nil }
    return noRoom
  }

  private var noRoom: InstallationError {
    InstallationError(
      .noSpace, "the file system of \(settings.stateFolder) is full",
      hint: "'fettle cleanup --finished' frees what jobs that are over have left; jobs begin again"
        + " by themselves once there is room")
  }

  /// Refuses an act that needs room while the reserve is missing and cannot be created.
  ///
  /// - Throws: `noSpace`.
  func refuseWithoutRoom() async throws(InstallationError) {
    guard roomShortage != nil else { return }
    guard await restoreReserve() else { throw noRoom }
  }

  /// The error for a request that the journal refused.
  ///
  /// - Parameter error: The journal's error.
  /// - Returns: `noSpace` when the file system is full, else the error itself.
  func refusal(for error: InstallationError) -> InstallationError {
    guard journal.isDiskFull(error) else { return error }
    var refusal = noRoom
    refusal.detail = error.message
    return refusal
  }

  /// Pauses the queue while the reserve is missing, and tries to create it every second.
  func waitForRoom() {
    guard let shortage = roomShortage else { return }
    let before = queue.pause
    let since = queue.journalPause?.since ?? settings.now()
    if before?.cause != .journal {
      logger.critical("\(shortage.message): no job begins until there is room")
    }
    queue.pause(QueuePause(.journal, since: since, detail: shortage.message))
    publishPause(since: before)
    guard roomTimer == nil else { return }
    roomTimer = timer(after: Self.roomInterval) { engine in await engine.retryReserve() }
  }

  private func retryReserve() async {
    roomTimer = nil
    guard roomShortage != nil else { return }
    _ = await restoreReserve()
  }

  /// Tries to create the reserve.
  ///
  /// Concurrent callers share one attempt.
  ///
  /// - Returns: Whether the reserve exists.
  private func restoreReserve() async -> Bool {
    let reserve = journal.reserve
    let attempt = roomAttempt ?? Task { await Self.make(reserve) }
    roomAttempt = attempt
    _ = await attempt.value
    // The first caller after the attempt applies its result for all.
    if roomAttempt == attempt {
      roomAttempt = nil
      if roomShortage == nil { leaveShortage() } else { waitForRoom() }
    }
    return roomShortage == nil
  }

  private func leaveShortage() {
    roomTimer?.cancel()
    roomTimer = nil
    logger.notice("there is room again in \(settings.stateFolder): jobs begin again")
    let before = queue.pause
    queue.resume(.journal)
    publishPause(since: before)
    recordCleanUps()
    schedule()
  }

  /// Runs off the engine's own thread, because the disk may be slow.
  @concurrent private nonisolated static func make(_ reserve: SpaceReserve?) async -> Bool {
    reserve?.make() ?? true
  }

  /// Records that a job was cleaned up; on a full file system, as soon as there is room.
  ///
  /// The job's files were removed before, which makes room.
  ///
  /// - Throws: `journal` for any other reason.
  func recordCleanUp(_ id: JobID, by requester: Requester) throws(InstallationError) {
    do throws(InstallationError) {
      publish(
        try journal.append(
          [EventDraft(id, .cleanedUp(by: requester))], at: settings.now(), mayUseReserve: true))
      noteWritten()
    } catch {
      guard journal.isDiskFull(error) else { throw error }
      unrecordedCleanUps[id] = requester
      if cleanUpTimer == nil {
        cleanUpTimer = timer(after: Self.roomInterval) { engine in await engine.retryCleanUps() }
      }
      waitForRoom()
    }
  }

  private func retryCleanUps() {
    cleanUpTimer = nil
    recordCleanUps()
  }

  private func recordCleanUps() {
    let pending = unrecordedCleanUps
    unrecordedCleanUps = [:]
    for (id, requester) in pending.sorted(by: { $0.key < $1.key }) {
      do {
        try recordCleanUp(id, by: requester)
      } catch {
        logger.error("cannot record that job \(id) was cleaned up: \(error)")
      }
    }
  }
}

extension JobMachine.Input {
  /// Whether the input's record may use the journal's reserve.
  ///
  /// True for requests to abort or pause a job, for clean-ups, and for all inputs that lead a
  /// working job to its end: records are written in order, so the end needs the records before it.
  var mayUseReserve: Bool {
    switch self {
    case .started, .startFailed, .satisfied, .reports, .verified, .archivesChecked, .abort,
      .abortAnswered, .withdrawAnswered, .suspend, .suspendAnswered, .cleanUp:
      true
    case .begin, .withdrawAbort, .resume, .prioritize, .ahead, .silence, .lapse:
      false
    }
  }
}
