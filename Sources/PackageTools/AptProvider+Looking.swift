internal import Glibc
package import InstallJobs

extension AptProvider {
  /// Compares the package database with the plan; the exit status of no tool has a say in it.
  ///
  /// A database that cannot be read gives findings of state `unknown`, neither as planned nor
  /// untouched, and the reason as the audit.
  package func verify(_ plan: JobPlan) async -> Verification {
    do {
      let database = try await PackageDatabase.read(packageRoot)
      let audit = try await Tool("/usr/bin/dpkg").run(
        ["--admindir=" + packageRoot.adminDirectory, "--audit"], environment: Tool.plain)
      var repairs: [RepairAction] = []
      for step in plan.steps {
        guard let repair = step.repair(in: database), !repairs.contains(repair) else { continue }
        repairs.append(repair)
      }
      return Verification(
        findings: plan.steps.map { $0.finding(in: database) },
        audit: audit.output.isEmpty && audit.status == 0
          ? "" : Sanitised.text(audit.output.isEmpty ? audit.errors : audit.output),
        repairs: repairs)
    } catch {
      let finding = Verification.Finding(
        isAsPlanned: false, isUntouched: false, state: "unknown", version: nil)
      return Verification(
        findings: plan.steps.map { _ in finding }, audit: error.message)
    }
  }

  /// Installed packages for which the index has a newer version (row A7), held ones included.
  ///
  /// Packages that only count as installed are left out: nothing can be done about them here.
  package func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    let database = try await PackageDatabase.read(packageRoot)
    let entries = database.entries.filter { $0.isPresent && !packageRoot.isOnlyCounted($0) }
    guard !entries.isEmpty else { return [] }
    let tools = try AptTools(AptConfiguration(root: packageRoot), cache: cache)
    defer { tools.close() }
    let policy = try await AptPolicy.read(
      entries.map { AptCommand.qualified($0.name, $0.architecture) }, with: tools)
    let upgradable = try await policy.upgradable(in: database)
      .filter { !packageRoot.isOnlyCounted($0) }
    let index = try await PackageIndex.read(
      Set(upgradable.map { AptCommand.qualified($0.name, $0.architecture) }), with: tools)
    let origins = try await origins(tools)
    return upgradable.map { entry in
      let candidate = policy.candidate(of: entry, in: database)
      let record = index.records[entry.name]?.first { $0.version == candidate }
      return PlannedUpdate(
        name: entry.name, architecture: record?.architecture ?? entry.architecture,
        action: .upgrade, fromVersion: entry.version, toVersion: candidate,
        downloadSize: record?.downloadSize ?? 0,
        installedSize: (record?.installedSize ?? 0) * 1024,
        origin: candidate.flatMap { origins["\(entry.name)=\($0)"] })
    }
  }

  private func origins(_ tools: AptTools) async throws(InstallationError) -> [String: String] {
    let run = try await tools.run(
      "/usr/bin/apt-get", ["-q", "--simulate", "--ignore-hold", "dist-upgrade"])
    var origins: [String: String] = [:]
    for action in run.lines.compactMap({ SimulatedAction($0) }) where action.verb == .unpack {
      origins["\(action.name)=\(action.newVersion ?? "")"] = action.origin
    }
    return origins
  }

  /// Packages that asked for a restart of the machine (rows A16, D3).
  package func rebootReasons() async -> RebootMarker {
    let marker = packageRoot.rebootMarker
    var names: [String] = []
    for line in (RootFiles.text(of: marker + ".pkgs") ?? "").split(separator: "\n") {
      guard Update.isPackageName(line), !names.contains(String(line)) else { continue }
      names.append(String(line))
    }
    return RebootMarker(isSet: RootFiles.exists(marker), packages: names)
  }

  /// The process that holds a lock of the package database, if any.
  ///
  /// The front ends' lock is asked first: it is held for the whole of their work.
  package func lockHolder() async -> LockHolder? {
    for path in [packageRoot.frontendLock, packageRoot.databaseLock] {
      guard let pid = LockFile.holder(of: path) else { continue }
      let command = RootFiles.text(of: "/proc/\(pid)/comm", limit: 64)
        .map { Sanitised.line($0.prefix { $0 != "\n" }, limit: 32) }
      return LockHolder(pid: pid, command: command)
    }
    return nil
  }
}

/// Record locks as dpkg and apt take them (fcntl(2)).
enum LockFile {
  /// The process whose lock keeps others from writing.
  ///
  /// Nil when nobody has one, or when the file cannot be read; -1 stands for a lock of an open file
  /// description, which belongs to no single process.
  static func holder(of path: String) -> Int32? {
    let file = unsafe open(path, O_RDWR | O_CLOEXEC)
    let descriptor = file >= 0 ? file : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var record = flock()
    record.l_type = Int16(F_WRLCK)
    record.l_whence = Int16(SEEK_SET)
    guard unsafe fcntl(descriptor, F_GETLK, &record) == 0, record.l_type != Int16(F_UNLCK) else {
      return nil
    }
    return record.l_pid
  }
}
