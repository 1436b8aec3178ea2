package import InstallJobs
import JobJournal
import PackageProvider

// Questions to the package system that need no job. Each waits for its turn in the planning queue
// and ends when its task is cancelled.
extension Engine {
  /// Searches for updates; see ``InstallationBackend/search(_:)``.
  ///
  /// - Throws: `invalidArgument`; `busy` when too many requests wait to be planned.
  package func search(
    _ criteria: UpdateCriteria, for user: PlanningUser
  ) async throws(InstallationError) -> UpdateSearchResult {
    try criteria.validate()
    let (provider, folder) = (provider, settings.stateFolder)
    return try await planning.plan(for: user) { () async throws(InstallationError) in
      try await provider.search(criteria, keptIn: folder)
    }
  }

  /// Describes the engine and its machine; see ``InstallationBackend/systemInformation()``.
  ///
  /// - Throws: `busy` when too many requests wait to be planned; `badRoot`.
  package nonisolated func systemInformation(
    for user: PlanningUser
  ) async throws(InstallationError) -> SystemInformation {
    let provider = provider
    let facts = try await planning.plan(for: user) { () async throws(InstallationError) in
      try await provider.systemFacts()
    }
    let status = try await status()
    var information = SystemInformation(
      engineVersion: status.engine.version, provider: status.engine.provider,
      root: status.engine.root, toolVersions: facts.toolVersions,
      operatingSystem: facts.operatingSystem, supportLink: facts.supportLink,
      requiresReboot: status.requiresReboot, rebootReasons: status.rebootReasons,
      pause: status.queue.pause)
    if let job = status.runningJob { information.servicing.append(.job(job)) }
    if let holder = status.lock { information.servicing.append(.lockHolder(holder)) }
    information.servicing += facts.unfinishedPackages.map { .unfinishedPackage($0) }
    information.lastInstalledAt = try journal.lastInstallation()
    information.lastRefreshedAt = facts.lastRefreshedAt
    return information
  }
}
