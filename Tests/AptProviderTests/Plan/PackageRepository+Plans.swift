import AptProvider
import InstallJobs
import Support

extension PackageRepository {
  /// A planner for the repository's root; local archives lie in the folder `store`.
  func planner(free: Int64? = nil) throws -> AptPlanner {
    var planner = AptPlanner(root: try PackageRoot(at: root, for: TestUser.id), archiveStore: store)
    if let free { planner.freeBytes = { _ in free } }
    return planner
  }

  /// A provider for the repository's root.
  func provider() throws -> AptProvider {
    AptProvider(
      root: try PackageRoot(at: root, for: TestUser.id), workerExecutable: "/nonexistent",
      archiveStore: store)
  }

  var store: String { folder.path("store") }

  /// Puts an archive into the store, as the engine does with an upload.
  func bring(_ path: String) async throws -> LocalArchive {
    try TestFolder.makeFolder(store)
    let sum = try await run(["/usr/bin/sha256sum", path])
    let digits = String(sum.output.prefix(64))
    try await run(["/bin/cp", path, "\(store)/\(digits).deb"]).expectSuccess("cp")
    return LocalArchive(fileName: "brought.deb", sha256: digits, size: 0)
  }

  func plan(
    _ operation: JobOperation, _ updates: String..., options: InstallationOptions = .init()
  ) async throws -> JobPlan {
    try await planner().plan(
      JobRequest(operation, updates.map(Self.update), options: options))
  }

  /// The reason why a request is refused; nil when it is not.
  func refusal(
    _ operation: JobOperation, _ updates: String..., options: InstallationOptions = .init()
  ) async throws -> InstallationError? {
    let request = JobRequest(operation, try updates.map(Self.update), options: options)
    let planner = try planner()
    do {
      _ = try await planner.plan(request)
      return nil
    } catch {
      return error
    }
  }

  private static func update(_ text: String) throws -> Update { try Update(parsing: text) }

  /// What the tools said while a plan was carried out.
  struct Work {
    var status: Int32
    /// Lines of dpkg's status descriptor.
    var dpkgStatus: [String]
    var output: String
  }

  /// Carries a plan out with the product's configuration and arguments, without its worker.
  @discardableResult
  func carryOut(_ plan: JobPlan, _ request: JobRequest) async throws -> Work {
    let archives = folder.path("archives")
    try TestFolder.makeFolder(archives + "/partial")
    let gate = folder.path("gate.sh")
    try TestFolder.write("exec /usr/bin/dpkg \"$@\"\n", to: gate)
    let configuration = AptConfiguration(
      root: try PackageRoot(at: root, for: TestUser.id), conffiles: request.options.conffiles)
    guard let command = AptCommand(for: request, plan: plan, archiveStore: store) else {
      return Work(status: 0, dpkgStatus: [], output: "")
    }
    var status: Int32 = 0
    var output = ""
    let uses: [(AptConfiguration.Use, [String])] = [
      (.download(archives: archives), ["-q", "-y", "--download-only"] + command.arguments),
      (.install(archives: archives, gate: gate, intentionGate: nil), command.installing),
    ]
    for (use, arguments) in uses {
      let file = folder.path("job.conf")
      try TestFolder.write(configuration.text(for: use), to: file)
      let run = try await TestUser.run(
        ["/bin/sh", "-c", "exec \"$@\" 3>>apt-status 4>>dpkg-status </dev/null", "sh"]
          .replacingPaths(in: folder.path) + ["/usr/bin/apt-get"] + arguments,
        environment: configuration.environment(configurationFile: file))
      status = run.status
      output += run.output + run.errors
      guard status == 0 else { break }
    }
    let lines = TestFolder.text(of: folder.path("dpkg-status")) ?? ""
    return Work(
      status: status, dpkgStatus: lines.split(separator: "\n").map(String.init), output: output)
  }

  /// Plans and carries out.
  @discardableResult
  func perform(
    _ operation: JobOperation, _ updates: String..., options: InstallationOptions = .init()
  ) async throws -> (plan: JobPlan, work: Work) {
    let request = JobRequest(operation, try updates.map(Self.update), options: options)
    let plan = try await planner().plan(request)
    return (plan, try await carryOut(plan, request))
  }
}

extension [String] {
  fileprivate func replacingPaths(in folder: String) -> [String] {
    map {
      $0.replacing(">>apt-status", with: ">>\(folder)/apt-status")
        .replacing(">>dpkg-status", with: ">>\(folder)/dpkg-status")
    }
  }
}

extension JobPlan {
  /// The steps in short: `install p1 1.0`.
  var summary: [String] {
    steps.map { "\($0.action.rawValue) \($0.name) \($0.toVersion ?? "-")" }
  }
}
