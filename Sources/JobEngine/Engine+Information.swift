package import InstallJobs
import JobJournal
import PackageProvider

// What is asked of the package system without a job. In its turn and ended by cancellation, as a plan is.
extension Engine {
  /// Looks for updates; see ``InstallationBackend/search(_:)``.
  ///
  /// - Throws: `invalidArgument`; `busy` where too many requests wait for their turn already.
  package func search(
    _ criteria: UpdateCriteria, for user: PlanningUser
  ) async throws(InstallationError) -> UpdateSearchResult {
    try criteria.validate()
    let (provider, folder) = (provider, settings.stateFolder)
    return try await planning.plan(for: user) { () async throws(InstallationError) in
      try await provider.search(criteria, keptIn: folder)
    }
  }

  /// The engine and its machine; see ``InstallationBackend/systemInformation()``.
  ///
  /// - Throws: `busy` where too many requests wait for their turn already; `badRoot`.
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
