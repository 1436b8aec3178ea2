// Actions on jobs by number, without a job object, and on the engine.
//
// Each function throws `notPermitted` in a read-only session and for a user who may not act, and
// `timedOut`, `cancelled` or `engineUnreachable` if no answer arrives; the action may have been
// carried out then. The page "Session" of the documentation tells users so.
extension UpdateSession {
  /// Submits a job and returns without following it.
  ///
  /// A request without a client name or proxy gets those of the session.
  ///
  /// - Returns: The accepted job, with its plan.
  /// - Throws: The reason if the engine refuses the job; nothing is stored or started then.
  public func submit(_ request: JobRequest) async throws(InstallationError) -> JobSnapshot {
    try refuseToAct("submit a job")
    var request = request
    request.options.fill(clientName: clientName, proxy: proxy)
    return try await backend.submit(try request.validated())
  }

  /// Requests an abort of a job; see ``InstallationJob/requestAbort()``.
  ///
  /// - Throws: `unknownJob`.
  public func requestAbort(of id: JobID) async throws(InstallationError) -> AbortDisposition {
    try refuseToAct("abort job \(id)")
    return try await backend.requestAbort(of: id)
  }

  /// Cancels the abort of a job; see ``InstallationJob/withdrawAbort()``.
  ///
  /// - Throws: `unknownJob`; `invalidState` if there is no abort, or if it has already taken
  ///   effect.
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

  /// Resumes a paused job.
  ///
  /// - Throws: `unknownJob`; `cannotResume` for a job that is not paused.
  public func resume(_ id: JobID) async throws(InstallationError) {
    try refuseToAct("resume job \(id)")
    try await backend.resume(id)
  }

  /// Moves a waiting job to another place in the queue.
  ///
  /// - Returns: The job in its new place.
  /// - Throws: `unknownJob`; `invalidState` for a job that has started, and if no free priority
  ///   leads to that place; `invalidArgument` for a priority outside -100...100.
  public func move(
    _ id: JobID, to place: QueueMove
  ) async throws(InstallationError) -> JobSnapshot {
    try refuseToAct("move job \(id)")
    return try await backend.move(id, to: place)
  }

  /// Frees the archives and work files of an ended job.
  ///
  /// The job's record stays in the list of jobs and in the history. This function does not wait for
  /// the end of the job; ``InstallationJob/cleanUp()`` does.
  ///
  /// - Throws: `unknownJob`; `invalidState` for a job that is not over.
  public func cleanUp(_ id: JobID) async throws(InstallationError) {
    try refuseToAct("clean up job \(id)")
    try await backend.cleanUp(id)
  }

  /// Sets a mark of installed packages, as apt-mark does: holds, and automatic or manual.
  ///
  /// - Parameters:
  ///   - mark: The mark.
  ///   - updates: The packages, by name and architecture; at least one.
  /// - Throws: `noUpdates`; `busy` while a job works or another process uses the package database;
  ///   `notApplicable` for a package that is not installed; `notVerified` if the package database
  ///   does not show the mark afterwards; `notPermitted`.
  public func mark(_ mark: PackageMark, _ updates: [Update]) async throws(InstallationError) {
    try refuseToAct("mark packages")
    try await backend.mark(mark, updates)
  }

  /// Downloads the package index of the engine's root again.
  ///
  /// - Throws: `busy` while a job works or another process fetches the index; `timedOut`;
  ///   `downloadFailed` with the package system's message.
  public func refreshIndex() async throws(InstallationError) {
    try refuseToAct("refresh the index")
    try await backend.refresh()
  }

  /// Uploads a package archive to the engine, so that a job can install it.
  ///
  /// - Parameters:
  ///   - bytes: The content of the archive.
  ///   - archive: Its name, hash and size; the engine checks them.
  /// - Returns: The update that the engine read from the archive.
  /// - Throws: `badArchive` for content that is not a package archive; `hashMismatch`; `noSpace`.
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

  /// Size of an uploaded piece in bytes.
  private static let pieceLength = 256 << 10
}
