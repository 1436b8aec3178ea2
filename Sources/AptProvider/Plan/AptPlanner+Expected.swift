import HostSystem
internal import InstallJobs
import PackageProvider

extension AptPlanner {
  /// Plans a request against the package database as it will be when the job starts.
  ///
  /// - Parameters:
  ///   - request: The validated request.
  ///   - pending: The changes that jobs ahead in the queue will make.
  ///   - isAtWork: Whether a process holds the package lock now and changes package states.
  /// - Returns: The plan, which is compared with the package root again when the job starts.
  /// - Throws: As ``plan(_:behind:)``.
  func planExpected(
    _ request: JobRequest, behind pending: PendingWork, isAtWork: Bool
  ) async throws(InstallationError) -> JobPlan {
    guard let folder = RootFiles.makeScratchFolder() else {
      throw InstallationError(
        .internal, "cannot make a temporary folder", hint: "check free space and $TMPDIR")
    }
    defer { ExpectedDatabase.removeFolder(folder) }
    var configuration = AptConfiguration(
      root: root, conffiles: request.options.conffiles, proxy: request.options.proxy)
    let present = try AptTools(configuration, cache: cache)
    defer { present.close() }
    configuration.expected = try await ExpectedDatabase(
      of: root, after: pending, isAtWork: isAtWork, archiveStore: archiveStore, tools: present,
      in: folder)
    let tools = try AptTools(configuration, cache: cache)
    defer { tools.close() }
    // No state of the database has this fingerprint, so the plan is always checked again when its
    // job starts.
    let fingerprint = currentFingerprint().prefix(16) + String(repeating: "0", count: 16)
    let (plan, printed) = try await plan(
      request, with: tools, fingerprint: String(fingerprint))
    if let printed { sequences?.keep(printed, of: plan, in: RootState(of: [])) }
    try refuseWithoutSpace(plan, request)
    return plan
  }
}
