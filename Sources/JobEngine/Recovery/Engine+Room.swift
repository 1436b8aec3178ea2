import InstallJobs
import JobJournal
import Logging

/// What the engine does while its state folder's file system is full.
///
/// The journal gives its reserve up for the ends of jobs at work, for requests to stop or hold one,
/// and for cleaning up. From then on no job begins and none is submitted, until there is room for the
/// reserve again.
extension Engine {
  /// Acts that need room and free none, by their names on the wire.
  static let actsThatNeedRoom: Set<String> = ["submit", "upload"]
  /// Seconds between two attempts to make the reserve again.
  private static let roomInterval = 1.0

  /// Why nothing new is accepted; nil where room is set aside, and for a journal without a reserve.
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

  /// Refuses what needs room while there is none.
  ///
  /// - Throws: `noSpace`.
  func refuseWithoutRoom() async throws(InstallationError) {
    guard roomShortage != nil else { return }
    guard await restoreReserve() else { throw noRoom }
  }

  /// The error for a request that the journal did not accept.
  ///
  /// - Parameter error: The journal's error.
  /// - Returns: `noSpace` where the file system is full, else the error itself.
  func refusal(for error: InstallationError) -> InstallationError {
    guard journal.lacksRoom(error) else { return error }
    var refusal = noRoom
    refusal.detail = error.message
    return refusal
  }

  /// Pauses the queue while no room is set aside, and tries each second to set some aside again.
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

  /// Tries to set room aside; there is one attempt at a time, however many wait for it.
  ///
  /// - Returns: Whether room is set aside.
  private func restoreReserve() async -> Bool {
    let reserve = journal.reserve
    let attempt = roomAttempt ?? Task { await Self.make(reserve) }
    roomAttempt = attempt
    _ = await attempt.value
    // The first that waited goes on for all.
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

  /// Not on the engine's own thread, because the disk may be slow.
  @concurrent private nonisolated static func make(_ reserve: RoomReserve?) async -> Bool {
    reserve?.make() ?? true
  }

  /// Records that a job was cleaned up; where the file system is full, as soon as that is possible.
  ///
  /// Its files are removed already, and that is what makes room.
  ///
  /// - Throws: `journal` where the reason is another one.
  func recordCleanUp(_ id: JobID, by requester: Requester) throws(InstallationError) {
    do throws(InstallationError) {
      publish(
        try journal.append(
          [EventDraft(id, .cleanedUp(by: requester))], at: settings.now(), mayUseReserve: true))
      noteWritten()
    } catch {
      guard journal.lacksRoom(error) else { throw error }
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
  /// Whether its record may use the journal's reserve.
  ///
  /// A request to stop or hold a job and a clean-up may, and what leads a job at work to its end: that
  /// is recorded in its order, so the end could not be recorded without it.
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
