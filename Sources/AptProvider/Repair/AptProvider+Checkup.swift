internal import Glibc
import HostSystem
package import InstallJobs
package import PackageProvider

extension AptProvider {
  /// Checks everything that jobs need to work on the root; changes nothing.
  ///
  /// - Parameter work: Returns the present work of the engine that asks; nil when it has none.
  /// - Returns: At least one finding.
  package func checkup(
    during work: @Sendable () async -> PresentWork?
  ) async -> [Checkup.Finding] {
    let root = packageRoot
    var findings = [
      root.kindFinding, root.lockFinding(during: await work()),
      root.restartFinding(await rebootReasons()), .space(at: root.path, for: "packages"),
    ]
    do throws(InstallationError) {
      let tools = try AptTools(AptConfiguration(root: root), cache: cache)
      defer { tools.close() }
      findings += try await sources(tools)
      findings += try await packages(tools, during: work)
      if let conffiles = try await ConffileFinding(in: root).finding { findings.append(conffiles) }
    } catch {
      // A tool that does not run says nothing about the root.
      findings.append(
        error.code == .internal
          ? Checkup.Finding(.packages, .unknown, error) : Checkup.Finding(.root, .fault, error))
    }
    return findings
  }

  // MARK: Sources and index

  private func sources(_ tools: AptTools) async throws(InstallationError) -> [Checkup.Finding] {
    let run = try await tools.run("/usr/bin/apt-get", ["-q", "update", "--print-uris"])
    guard run.status == 0 else {
      let reason = run.complaints.first ?? "apt-get ends with \(run.status)"
      return [
        Checkup.Finding(
          .sources, .fault, "the package sources cannot be read: \(reason)",
          hint: "correct them in \(packageRoot.path("etc/apt"))")
      ]
    }
    let count = run.lines.count { $0.hasPrefix("'") }
    guard count > 0 else {
      return [
        Checkup.Finding(
          .sources, .attention, "no package source is configured",
          hint: "name one in \(packageRoot.path("etc/apt/sources.list"))")
      ]
    }
    let fetched = try await tools.run(
      "/usr/bin/apt-get", ["-q", "indextargets", "--format", "$(FILENAME)", "Created-By: Packages"])
    guard fetched.status == 0 else {
      let reason = fetched.complaints.first ?? "apt-get ends with \(fetched.status)"
      return [
        Checkup.Finding(
          .index, .fault, "the package index cannot be read: \(reason)",
          hint: packageRoot.refreshAdvice)
      ]
    }
    let files = fetched.lines.filter { !$0.isEmpty }
    return [
      Checkup.Finding(
        .sources, .sound,
        "the package sources can be read: \(count) \(count == 1 ? "file" : "files") to fetch"
          + " \(count == 1 ? "is" : "are") listed, not contacted"),
      try await index(files.map(String.init)),
    ]
  }

  private func index(
    _ files: [String]
  ) async throws(InstallationError) -> Checkup.Finding {
    guard !files.isEmpty else {
      return Checkup.Finding(
        .index, .fault, "there is no package index in \(root)", hint: packageRoot.refreshAdvice)
    }
    do throws(InstallationError) {
      try await planner.refuseDamagedIndex()
    } catch {
      return Checkup.Finding(.index, .fault, error)
    }
    let last = packageRoot.listsChangedAt?.milliseconds ?? 0
    let days = max(0, (Timestamp.now.milliseconds - last) / 86_400_000)
    let age = days == 0 ? "less than a day" : days == 1 ? "a day" : "\(days) days"
    return Checkup.Finding(
      .index, days > 7 ? .attention : .sound, "the package index was fetched \(age) ago",
      hint: days > 7 ? packageRoot.refreshAdvice : nil)
  }

  // MARK: Packages

  private func packages(
    _ tools: AptTools, during work: @Sendable () async -> PresentWork?
  ) async throws(InstallationError) -> [Checkup.Finding] {
    let (before, wasBusy) = (await work(), packageRoot.lockHolder != nil)
    let database = try await PackageDatabase.read(packageRoot)
    let present = database.entries.count { $0.isPresent }
    if wasBusy || packageRoot.lockHolder != nil {
      // Work that started meanwhile may have changed any package.
      let after = await work()
      let isSame = before?.job == after?.job && before?.holder == after?.holder
      let findings = incompletePackageFindings(
        in: database, of: present, during: isSame ? after : nil)
      return findings.isEmpty ? [sound(present)] : findings
    }
    var findings = packageRoot.incompletePackageFindings(
      in: database, journaled: packageRoot.journaledNames)
    if let unmet = try await unmetDependencies(tools) { findings.append(unmet) }
    if let broken = try await DpkgDryRun(in: packageRoot).finding { findings.append(broken) }
    return findings.isEmpty ? [sound(present)] : findings
  }

  /// The findings about incomplete packages while work is in progress.
  ///
  /// Packages outside the engine's own job are reported as faults. While a foreign process works,
  /// any package may be part of its work, so none is reported as a fault.
  private func incompletePackageFindings(
    in database: PackageDatabase, of present: Int, during work: PresentWork?
  ) -> [Checkup.Finding] {
    let own = work.flatMap { $0.holder == nil ? $0 : nil }
    let half = database.entries.filter { $0.incompleteReason != nil }
    // Pending triggers run before the work ends, whichever package they belong to.
    let moving = half.filter { entry in
      own.map { $0.packages.contains(entry.name) || entry.state.hasPrefix("triggers-") } ?? true
    }
    var findings = packageRoot.incompletePackageFindings(
      in: PackageDatabase(
        entries: half.filter { !moving.contains($0) },
        nativeArchitecture: database.nativeArchitecture), journaled: [])
    if !moving.isEmpty {
      findings.append(.packagesInProgress(moving.count, of: present, during: own))
    }
    return findings
  }

  private func sound(_ count: Int) -> Checkup.Finding {
    Checkup.Finding(.packages, .sound, "all \(count) packages are whole")
  }

  private func unmetDependencies(
    _ tools: AptTools
  ) async throws(InstallationError) -> Checkup.Finding? {
    let unlocked = ["-o", "Debug::NoLocking=true"]
    let run = try await tools.run("/usr/bin/apt-get", ["-q"] + unlocked + ["check"])
    guard run.status != 0 else { return nil }
    let (names, reasons) = run.unmetDependencies
    guard let first = reasons.first else {
      // The finding about the index says it.
      guard packageRoot.unreadableIndex(in: run.complaints) == nil else { return nil }
      let reason = run.complaints.first ?? "apt-get ends with \(run.status)"
      return Checkup.Finding(
        .packages, .fault, "apt cannot use the package database: \(reason)",
        hint: "'apt-get check' says more")
    }
    let more = reasons.count > 1 ? " (and \(reasons.count - 1) more)" : ""
    return Checkup.Finding(
      .packages, .fault, "dependencies are not met: \(first)\(more)",
      hint: "'fettle doctor --repair' installs what is missing, where a source has it",
      package: names.first)
  }
}

extension Tool.Run {
  /// The packages whose dependencies apt finds unmet, and apt's reasons, sanitised.
  ///
  /// The reasons are only shown; the code reads only the package names before the colons.
  var unmetDependencies: (names: [String], reasons: [String]) {
    var names: [String] = []
    var reasons: [String] = []
    var isInside = false
    for line in lines {
      if line.hasPrefix("The following packages have unmet dependencies:") {
        isInside = true
      } else if isInside, line.first == " " {
        let reason = line.drop { $0 == " " }
        if let end = reason.firstRange(of: " : ") {
          names.append(String(reason[..<end.lowerBound]))
        }
        reasons.append(Sanitised.line(reason.replacing(" : ", with: ": ")))
      } else {
        isInside = false
      }
    }
    return (names, reasons)
  }
}
