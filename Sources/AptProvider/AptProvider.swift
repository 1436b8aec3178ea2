import HostSystem
package import InstallJobs
package import PackageProvider

/// apt and dpkg behind the job model, on one package root.
package struct AptProvider: Sendable {
  /// The root it works on.
  package let packageRoot: PackageRoot
  /// The program that is started as the worker of a job.
  package let workerExecutable: String
  /// Where local archives lie, as `SHA256.deb`.
  package let archiveStore: String
  /// Where apt keeps its digest of the index between plans; nil where the machine has it.
  package let cache: String?

  private let memory = PlanMemory()
  let sequences = SequenceMemory()
  let releases = ReleaseMemory()
  let archiveDigests = ArchiveDigests()

  /// A provider for a root.
  ///
  /// - Parameters:
  ///   - root: The root it works on.
  ///   - workerExecutable: The program that is started as the worker of a job.
  ///   - archiveStore: Where the engine keeps local archives, by their SHA-256.
  ///   - cache: A folder of the engine's for apt's digest of the index.
  package init(
    root: PackageRoot, workerExecutable: String, archiveStore: String = "/nonexistent",
    cache: String? = nil
  ) {
    packageRoot = root
    self.workerExecutable = workerExecutable
    self.archiveStore = archiveStore
    self.cache = cache
  }

  /// The name under which its jobs are shown.
  package var name: String { "apt" }
  /// The root's path.
  package var root: String { packageRoot.path }

  /// Makes this provider's plans.
  package var planner: AptPlanner {
    var planner = AptPlanner(root: packageRoot, archiveStore: archiveStore, cache: cache)
    planner.memory = memory
    planner.sequences = sequences
    planner.releases = releases
    return planner
  }

  /// Plans a request; see ``AptPlanner/plan(_:)``.
  package func plan(
    _ request: JobRequest, behind pending: PendingWork
  ) async throws(InstallationError) -> JobPlan {
    try await planner.plan(request, behind: pending)
  }

  /// Fetches the package index anew (`apt-get update`).
  ///
  /// - Parameters:
  ///   - proxy: The HTTP proxy, as a URL; nil leaves the machine's setting.
  ///   - needsAll: Whether a source that does not answer is an error; to apt it is a warning.
  /// - Throws: `notPermitted` as acting on the root does; `busy` while another process fetches it;
  ///   `downloadFailed` with apt's own words.
  package func refreshIndex(
    proxy: String? = nil, needsAll: Bool = false
  ) async throws(InstallationError) {
    try packageRoot.checkRights()
    let tools = try AptTools(AptConfiguration(root: packageRoot, proxy: proxy), cache: cache)
    defer { tools.close() }
    let strictness = needsAll ? ["-o", "APT::Update::Error-Mode=any"] : []
    let run = try await tools.run(
      "/usr/bin/apt-get", ["-q", "update"] + strictness, to: "fetch the package index",
      limits: .fetching)
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
      hint: "check the network and the sources in \(packageRoot.path("etc/apt"))")
  }

  /// Reads name, version and architecture out of an archive.
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
