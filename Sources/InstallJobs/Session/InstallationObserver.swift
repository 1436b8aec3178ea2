/// A read-only view of an engine and its jobs (row A41).
///
/// The type has no functions to start, abort, pause or clean up jobs. At a socket the engine also
/// refuses such requests on a read-only connection.
public struct InstallationObserver: Sendable {
  private let backend: any InstallationBackend

  package init(backend: any InstallationBackend) { self.backend = backend }

  /// Returns the jobs of all users, like ``UpdateSession/jobs(in:)``.
  public func jobs(in states: Set<JobState>? = nil) async throws(InstallationError)
    -> [JobSnapshot]
  {
    try await backend.jobs(in: states)
  }

  /// Returns the current snapshot of one job, with its plan.
  ///
  /// - Throws: `unknownJob`.
  public func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot {
    try await backend.job(id)
  }

  /// Follows a job; see ``JobSnapshots``.
  public func snapshots(of id: JobID) async -> JobSnapshots { await backend.snapshots(of: id) }

  /// Returns the plan of a job without submitting it.
  public func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await backend.plan(request)
  }

  /// Returns installed packages for which the index has a newer version (row A7).
  public func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    try await backend.upgradableUpdates()
  }

  /// Searches for updates, like ``UpdateSession/updates(matching:)``.
  public func updates(
    matching criteria: UpdateCriteria
  ) async throws(InstallationError) -> UpdateSearchResult {
    try criteria.validate()
    return try await backend.search(criteria)
  }

  /// Returns information about the engine and its machine, like
  /// ``UpdateSession/systemInformation()`` (row S3).
  public func systemInformation() async throws(InstallationError) -> SystemInformation {
    try await backend.systemInformation()
  }

  /// Returns the status of engine, queue, lock and pending restart.
  public func status() async throws(InstallationError) -> EngineStatus {
    try await backend.status()
  }
}
