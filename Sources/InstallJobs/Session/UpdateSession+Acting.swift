// Acts on jobs by their numbers, without a handle, and on the engine.
//
// Each throws `notPermitted` in a read-only session and for a user who may not act, and `timedOut`,
// `cancelled` or `engineUnreachable` where no answer comes: whether the act was done is not known then. The
// page "Session" of the documentation says so to users.
extension UpdateSession {
  /// Submits a job and returns without following it.
  ///
  /// A request that names no client or proxy gets the session's.
  ///
  /// - Returns: The job as it was accepted, with its plan.
  /// - Throws: Every reason to refuse; nothing is stored or started then.
  public func submit(_ request: JobRequest) async throws(InstallationError) -> JobSnapshot {
    try refuseToAct("submit a job")
    var request = request
    request.options.fill(clientName: clientName, proxy: proxy)
    return try await backend.submit(try request.validated())
  }

  /// Asks a job to stop; see ``InstallationJob/requestAbort()``.
  ///
  /// - Throws: `unknownJob`.
  public func requestAbort(of id: JobID) async throws(InstallationError) -> AbortDisposition {
    try refuseToAct("abort job \(id)")
    return try await backend.requestAbort(of: id)
  }

  /// Cancels the abort of a job; see ``InstallationJob/withdrawAbort()``.
  ///
  /// - Throws: `unknownJob`; `invalidState` when there is none, or it has taken effect already.
  public func withdrawAbort(of id: JobID) async throws(InstallationError) {
    try refuseToAct("cancel the abort of job \(id)")
    try await backend.withdrawAbort(of: id)
  }

  /// Pauses a job; see ``InstallationJob/suspend()``.
  ///
  /// - Throws: `unknownJob`; `invalidState` for a job that is over.
  public func suspend(_ id: JobID) async throws(InstallationError) {
    try refuseToAct("pause job \(id)")
    try await backend.suspend(id)
  }

  /// Goes on with a job that is paused.
  ///
  /// - Throws: `unknownJob`; `cannotResume` for a job that is not paused.
  public func resume(_ id: JobID) async throws(InstallationError) {
    try refuseToAct("resume job \(id)")
    try await backend.resume(id)
  }

  /// Gives a job that waits another place in the queue.
  ///
  /// - Returns: The job in its new place.
  /// - Throws: `unknownJob`; `invalidState` for a job that has begun, and where no priority is left that
  ///   would do; `invalidArgument` for a priority outside -100...100.
  public func move(
    _ id: JobID, to place: QueueMove
  ) async throws(InstallationError) -> JobSnapshot {
    try refuseToAct("move job \(id)")
    return try await backend.move(id, to: place)
  }

  /// Frees the archives and work files of a job that is over.
  ///
  /// Its record stays, in the list of jobs and in the history. It does not wait:
  /// ``InstallationJob/cleanUp()`` does.
  ///
  /// - Throws: `unknownJob`; `invalidState` for a job that is not over.
  public func cleanUp(_ id: JobID) async throws(InstallationError) {
    try refuseToAct("clean up job \(id)")
    try await backend.cleanUp(id)
  }

  /// Fetches the package index of the engine's root anew.
  ///
  /// - Throws: `busy` while a job works or another process fetches it; `timedOut`; `downloadFailed` with
  ///   the package system's own words.
  public func refreshIndex() async throws(InstallationError) {
    try refuseToAct("refresh the index")
    try await backend.refresh()
  }

  /// Sends a package archive to the engine, so that a job can install it.
  ///
  /// - Parameters:
  ///   - bytes: The content of the archive.
  ///   - archive: Its name, hash and size; the engine checks them.
  /// - Returns: The update that the engine found in the archive.
  /// - Throws: `badArchive` for content that is no package; `hashMismatch`; `noSpace`.
  public func upload(
    _ bytes: [UInt8], as archive: LocalArchive
  ) async throws(InstallationError) -> Update {
    try refuseToAct("send an archive")
    var offset = 0
    while true {
      let end = min(bytes.count, offset + Self.pieceLength)
      let piece = Array(bytes[offset..<end])
      if let update = try await backend.upload(piece, at: Int64(offset), of: archive) {
        return update
      }
      guard end > offset, end < bytes.count else {
        throw InstallationError(
          .badArchive, "the engine did not take '\(archive.fileName)'", class: .transient,
          hint: "send it again")
      }
      offset = end
    }
  }

  /// Bytes of an archive that are sent together.
  private static let pieceLength = 256 << 10
}
