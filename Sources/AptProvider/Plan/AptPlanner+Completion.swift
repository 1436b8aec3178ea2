import HostSystem
internal import InstallJobs

extension AptPlanner {
  /// Adds archives and sizes to a draft whose steps are known.
  func complete(_ draft: inout PlanDraft, _ tools: AptTools, _ uris: Tool.Run?)
    async throws(InstallationError)
  {
    let unpacking = draft.steps.indices.filter { draft.steps[$0].action.unpacks }
    if !unpacking.isEmpty {
      let printed: Tool.Run
      if let uris { printed = uris } else { printed = try await tools.printURIs(draft.command) }
      let archives = try tools.archives(printed: printed)
      let names = Set(
        unpacking.map { AptCommand.qualified(draft.steps[$0].name, draft.foreign($0)) })
      let index = try await draft.index.reading(names, with: tools)
      let releases = releases.names(of: root)
      for step in unpacking {
        guard draft.complete(step, archives, index, releases) else {
          throw withoutSource(
            draft.steps[step].name, draft.steps[step].toVersion ?? "", draft)
        }
      }
      warnOfDebconf(&draft, index)
    }
    draft.installedSizeChange = draft.steps.reduce(0) { sum, step in
      let before = draft.database.entry(step.name, step.architecture)
        .flatMap { $0.isPresent ? $0.installedSize * 1024 : nil }
      return switch step.action {
      case .configure: sum
      case .remove, .purge: sum - (before ?? 0)
      case .install, .upgrade, .downgrade, .reinstall: sum + step.installedSize - (before ?? 0)
      }
    }
  }
}

extension PlanDraft {
  fileprivate func foreign(_ step: Int) -> String? {
    database.isNative(steps[step].architecture) ? nil : steps[step].architecture
  }

  /// Adds archive, sizes and origin to a step that unpacks.
  ///
  /// - Returns: Whether the step has an archive.
  fileprivate mutating func complete(
    _ index: Int, _ archives: [String: PlannedArchive], _ records: PackageIndex,
    _ releases: ReleaseNames
  ) -> Bool {
    let step = steps[index]
    let local = self.archives.first {
      $0.key.name == step.name && $0.value.version == step.toVersion
    }
    if let local {
      steps[index].installedSize = local.value.installedSize * 1024
      steps[index].origin = "local file"
      return true
    }
    let record = records.records[step.name]?.first {
      $0.version == step.toVersion && $0.architecture == step.architecture
    }
    steps[index].installedSize = (record?.installedSize ?? 0) * 1024
    guard let archive = archives[step.archiveName] else { return false }
    steps[index].downloadSize = archive.size
    steps[index].origin = self.releases[index].map {
      releases.name(of: $0, file: archive.uri)
    }
    downloads[index] = archive
    return true
  }
}
