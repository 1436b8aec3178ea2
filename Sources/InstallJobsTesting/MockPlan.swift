internal import InstallJobs

/// Plans requests for a mock engine: dependencies first, without installed packages.
struct MockPlan {
  let packages: [String: MockEngine.Package]
  let installed: [String: String]

  /// Returns the plan of a request.
  func plan(_ request: JobRequest) -> JobPlan {
    let updates =
      request.updates.isEmpty && request.operation == .upgrade
      ? upgradable.map { Update($0.name) } : request.updates
    var steps: [PlannedUpdate] = []
    let rows = updates.map { row($0, request, &steps) }
    return JobPlan(requests: rows, steps: steps)
  }

  /// Installed packages with another available version, sorted by name.
  var upgradable: [PlannedUpdate] {
    installed.sorted { $0.key < $1.key }.compactMap { name, version in
      guard let newest = packages[name]?.version, newest != version else { return nil }
      return PlannedUpdate(
        name: name, architecture: "amd64", action: .upgrade, fromVersion: version,
        toVersion: newest)
    }
  }

  private func row(
    _ update: Update, _ request: JobRequest, _ steps: inout [PlannedUpdate]
  ) -> JobPlan.Request {
    if let step = steps.firstIndex(where: { $0.name == update.name }) {
      steps[step].requested = true
      return JobPlan.Request(update: update, step: step)
    }
    let before = steps.count
    if request.operation.kind == .uninstallation {
      guard let version = installed[update.name] else {
        return JobPlan.Request(update: update, step: nil, note: .notInstalled)
      }
      steps.append(
        PlannedUpdate(
          name: update.name, architecture: "amd64",
          action: request.operation == .purge ? .purge : .remove, fromVersion: version,
          requested: true))
    } else {
      add(update.name, update.version, request, &steps, visiting: [])
    }
    guard steps.count > before, steps.last?.name == update.name else {
      return JobPlan.Request(
        update: update, step: nil, note: .alreadyInstalled, foundVersion: installed[update.name])
    }
    steps[steps.count - 1].requested = true
    return JobPlan.Request(update: update, step: steps.count - 1)
  }

  private func add(
    _ name: String, _ version: String?, _ request: JobRequest, _ steps: inout [PlannedUpdate],
    visiting: Set<String>
  ) {
    guard !visiting.contains(name), !steps.contains(where: { $0.name == name }) else { return }
    for dependency in packages[name]?.dependencies ?? [] where installed[dependency] == nil {
      add(dependency, nil, request, &steps, visiting: visiting.union([name]))
    }
    let present = installed[name]
    let wanted = version ?? packages[name]?.version ?? "1.0"
    let isAgain = request.operation == .reinstall || request.options.isForced
    guard present != wanted || isAgain else { return }
    steps.append(
      PlannedUpdate(
        name: name, architecture: "amd64",
        action: present == nil ? .install : present == wanted ? .reinstall : .upgrade,
        fromVersion: present, toVersion: wanted))
  }
}
