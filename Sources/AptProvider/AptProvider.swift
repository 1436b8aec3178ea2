import HostSystem
package import InstallJobs
package import PackageProvider

/// The provider for apt and dpkg on one package root.
package struct AptProvider: Sendable {
  /// The package root.
  package let packageRoot: PackageRoot
  /// The path of the program that is started as a job's worker.
  package let workerExecutable: String
  /// The folder of local archives, named `SHA256.deb`.
  package let archiveStore: String
  /// The folder for apt's package cache between plans; nil for the root's own.
  package let cache: String?

  private let memory = PlanCache()
  let sequences = SequenceCache()
  let releases = ReleaseNamesCache()
  let archiveDigests = ArchiveDigests()
  let integrity = IndexIntegrity()

  /// Creates a provider for a root.
  ///
  /// - Parameters:
  ///   - root: The package root.
  ///   - workerExecutable: The path of the program that is started as a job's worker.
  ///   - archiveStore: The engine's folder of local archives, named by their SHA-256.
  ///   - cache: A folder of the engine for apt's package cache.
  package init(
    root: PackageRoot, workerExecutable: String, archiveStore: String = "/nonexistent",
    cache: String? = nil
  ) {
    packageRoot = root
    self.workerExecutable = workerExecutable
    self.archiveStore = archiveStore
    self.cache = cache
  }

  /// The provider's name, `apt`.
  package var name: String { "apt" }
  /// The root's path.
  package var root: String { packageRoot.path }

  /// A planner that shares this provider's caches.
  package var planner: AptPlanner {
    var planner = AptPlanner(root: packageRoot, archiveStore: archiveStore, cache: cache)
    planner.memory = memory
    planner.sequences = sequences
    planner.releases = releases
    planner.integrity = integrity
    return planner
  }

  /// Plans a request; see ``AptPlanner/plan(_:behind:)``.
  package func plan(
    _ request: JobRequest, behind pending: PendingWork
  ) async throws(InstallationError) -> JobPlan {
    try await planner.plan(request, behind: pending)
  }

  /// Fetches the package index again (`apt-get update`).
  ///
  /// Removes damaged index files first: apt would keep them where its source has not changed
  /// (measured).
  ///
  /// - Parameters:
  ///   - proxy: The HTTP proxy as a URL; nil uses the machine's setting.
  ///   - needsAll: Whether a source that does not answer is an error; for apt it is a warning.
  /// - Throws: `notPermitted` as in ``PackageRoot/checkRights(euid:)``; `busy` while another
  ///   process refreshes the index; `downloadFailed` with apt's message.
  package func refreshIndex(
    proxy: String? = nil, needsAll: Bool = false
  ) async throws(InstallationError) {
    try packageRoot.checkRights()
    let tools = try AptTools(AptConfiguration(root: packageRoot, proxy: proxy), cache: cache)
    defer { tools.close() }
    let strictness = needsAll ? ["-o", "APT::Update::Error-Mode=any"] : []
    for name in try await integrity.damagedFiles(of: packageRoot) {
      packageRoot.removeIndex(name)
    }
    func fetch() async throws(InstallationError) -> Tool.Run {
      try await tools.run(
        "/usr/bin/apt-get", ["-q", "update"] + strictness, to: "fetch the package index",
        limits: .fetching)
    }
    var run = try await fetch()
    if run.status != 0, let name = packageRoot.unreadableIndex(in: run.complaints) {
      packageRoot.removeIndex(name)
      run = try await fetch()
    }
    guard run.status != 0 else { return }
    let reason = run.complaints.first ?? "exit status \(run.status)"
    if reason.hasPrefix("Could not get lock ") {
      throw InstallationError(
        .busy, "cannot refresh the index of \(root): \(reason)", class: .transient,
        hint: "try again when the process that holds the lock is done")
    }
    throw InstallationError(
      .downloadFailed, "cannot refresh the index of \(root): \(reason)", class: .transient,
      detail: run.complaints.joined(separator: "\n"),
      hint: IndexFailure.hint(for: run.complaints).map {
        "\($0); the sources are in \(packageRoot.path("etc/apt"))"
      } ?? "check the network and the sources in \(packageRoot.path("etc/apt"))")
  }

  /// Reads name, version and architecture from an archive.
  ///
  /// - Throws: `badArchive`.
  package func update(in archive: LocalArchive, at path: String)
    async throws(InstallationError) -> Update
  {
    let fields = try await ArchiveFields.read(path, calledBy: archive.fileName)
    return Update(
      fields.name, version: fields.version, architecture: fields.architecture, archive: archive)
  }
}
