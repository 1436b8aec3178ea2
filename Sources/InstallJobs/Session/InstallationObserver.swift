/// Looks at an engine and its jobs, and has nothing to act with (row A41).
///
/// What the type leaves out cannot be called: there is no begin, abort, suspend or clean up here. At
/// a socket the engine refuses acts of a read-only connection besides, whoever sends them.
public struct InstallationObserver: Sendable {
  private let backend: any InstallationBackend

  package init(backend: any InstallationBackend) { self.backend = backend }

  /// Everybody's jobs, as ``UpdateSession/jobs(in:)``.
  public func jobs(in states: Set<JobState>? = nil) async throws(InstallationError)
    -> [JobSnapshot]
  {
    try await backend.jobs(in: states)
  }

  /// One job with its plan, as it stands.
  ///
  /// - Throws: `unknownJob`.
  public func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot {
    try await backend.job(id)
  }

  /// Follows a job; see ``JobSnapshots``.
  public func snapshots(of id: JobID) async -> JobSnapshots { await backend.snapshots(of: id) }

  /// What a job would do, without doing it.
  public func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await backend.plan(request)
  }

  /// Installed packages for which the index has a newer version (row A7).
  public func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    try await backend.upgradableUpdates()
  }

  /// Looks for updates, as ``UpdateSession/updates(matching:)``.
  public func updates(
    matching criteria: UpdateCriteria
  ) async throws(InstallationError) -> UpdateSearchResult {
    try criteria.validate()
    return try await backend.search(criteria)
  }

  /// The engine's machine and the engine itself, as ``UpdateSession/systemInformation()`` (row S3).
  public func systemInformation() async throws(InstallationError) -> SystemInformation {
    try await backend.systemInformation()
  }

  /// Engine, queue, lock and restart state.
  public func status() async throws(InstallationError) -> EngineStatus {
    try await backend.status()
  }
}
