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
  /// - Throws: `busy` when too many requests wait to be planned, or when it cannot be said whether the
  ///   packages are whole; `badRoot`.
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
    information.servicing += try Self.unfinishedPackages(facts, besides: information.servicing)
    information.lastInstalledAt = try journal.lastInstallation()
    information.lastRefreshedAt = facts.lastRefreshedAt
    return information
  }

  /// Lists the unfinished packages that were found.
  ///
  /// - Parameters:
  ///   - facts: The package system's facts.
  ///   - known: What is known to work on the packages now; a reason why nothing could be found.
  /// - Returns: An entry for each; none where the reason why nothing could be found is known.
  /// - Throws: `busy` where nothing could be read and nothing is known to be at work: work may have
  ///   begun and ended meanwhile, and an empty answer would say that all packages are whole.
  static func unfinishedPackages(
    _ facts: SystemFacts, besides known: [SystemInformation.Servicing]
  ) throws(InstallationError) -> [SystemInformation.Servicing] {
    if let found = facts.unfinishedPackages { return found.map { .unfinishedPackage($0) } }
    guard known.isEmpty else { return [] }
    throw InstallationError(
      .busy,
      "whether every package is whole could not be read: another process was at work on them,"
        + " or the package lock cannot be looked at", class: .transient, hint: "ask again")
  }
}
