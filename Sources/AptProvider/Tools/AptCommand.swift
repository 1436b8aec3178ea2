package import InstallJobs

/// The arguments of `apt-get` that carry out a plan, equal to the arguments of its simulation.
///
/// Options come first, then `--`, then names that the index is known to have. So apt cannot take a
/// name for an option, a pattern, or its own `NAME-` and `NAME+`.
package struct AptCommand: Sendable, Hashable {
  /// Options, action, `--` and names, as in the simulation.
  package var arguments: [String]

  package init(arguments: [String]) { self.arguments = arguments }

  /// The arguments of `apt-get` that install.
  ///
  /// This run fetches nothing, but with local archives it omits `--no-download`: with that option
  /// apt has no path for local archives and stops half-way (measured:
  /// `Pathname to install is not absolute`).
  package var installing: [String] {
    ["-q", "-y"] + (hasLocalArchives ? [] : ["--no-download"]) + arguments
  }

  private var hasLocalArchives: Bool { arguments.contains { $0.hasPrefix("/") } }

  /// Creates the command for the remaining steps of a plan; nil when none remain.
  ///
  /// The worker fetches the archives, then runs ``installing``. A repair also runs `dpkg --configure -a`,
  /// which runs pending triggers that apt leaves alone.
  ///
  /// - Parameters:
  ///   - request: The job's request.
  ///   - plan: The plan made for it.
  ///   - archiveStore: The folder of local archives, named by their SHA-256.
  ///   - finishedSteps: Finished steps, which are left out.
  package init?(
    for request: JobRequest, plan: JobPlan, archiveStore: String, finishedSteps: Set<Int> = []
  ) {
    guard plan.steps.indices.contains(where: { !finishedSteps.contains($0) }) else { return nil }
    let pending = plan.requests.filter { $0.step.map { !finishedSteps.contains($0) } ?? false }
    let isDowngrade = plan.steps.contains { $0.action == .downgrade }
    let names = pending.compactMap { row -> String? in
      let step = row.step.map { plan.steps[$0] }
      // A repair names only packages that must be unpacked; apt configures the others without being
      // asked.
      guard request.operation != .repair || step?.action.unpacks == true else { return nil }
      // apt finds what is unneeded by itself.
      guard request.operation.kind == .uninstallation || step?.action.removes != true else {
        return nil
      }
      return Self.name(row, step: step, store: archiveStore)
    }
    self.init(
      request.operation, names: names, isForced: request.options.isForced,
      purges: request.options.purgesConfiguration, isDowngrade: isDowngrade,
      isEverything: request.updates.isEmpty, bringsNew: request.bringsNew, leftOut: plan.leftOut,
      planning: request.options.planning)
  }

  /// Creates the command for names that were checked against the index.
  init(
    _ operation: JobOperation, names: [String], isForced: Bool, purges: Bool, isDowngrade: Bool,
    isEverything: Bool, bringsNew: Bool = false, leftOut: [JobPlan.LeftOut] = [],
    planning: PlanningOptions = PlanningOptions()
  ) {
    var options: [String] = []
    if isDowngrade || planning.allowsDowngrades { options.append("--allow-downgrades") }
    if let recommended = planning.installsRecommended {
      options.append(recommended ? "--install-recommends" : "--no-install-recommends")
    }
    if let release = planning.release { options.append("--target-release=" + release) }
    // The machine's setting must not add removals that were not asked for.
    options.append(planning.removesUnneeded ? "--auto-remove" : "--no-auto-remove")
    switch operation {
    case .install:
      if isForced { options.append("--reinstall") }
      arguments = options + ["install", "--"] + names
    case .reinstall:
      arguments = options + ["--reinstall", "install", "--"] + names
    case .upgrade where isEverything:
      // A package named with its present version stays, and packages that need a newer version of
      // it stay too.
      let names = leftOut.map { Self.qualified($0.name, $0.architecture) + "=" + $0.version }
      let staying = names.isEmpty ? [] : ["--"] + names
      let kind = planning.isFullUpgrade ? ["dist-upgrade"] : ["--with-new-pkgs", "upgrade"]
      arguments = options + kind + staying
    case .upgrade:
      arguments = options + (bringsNew ? [] : ["--only-upgrade"]) + ["install", "--"] + names
    case .remove, .purge:
      if operation == .purge || purges { options.append("--purge") }
      arguments = options + [isEverything ? "autoremove" : "remove", "--"] + names
    case .repair:
      arguments = options + ["--fix-broken", "--reinstall", "install", "--"] + names
    }
  }

  // The versions are the plan's, so apt installs these versions or fails.
  private static func name(_ row: JobPlan.Request, step: PlannedUpdate?, store: String) -> String {
    if let archive = row.update.archive { return "\(store)/\(archive.sha256).deb" }
    guard let step, let version = step.toVersion, step.action.unpacks else {
      return step.map { qualified($0.name, $0.architecture) } ?? row.update.name
    }
    return qualified(step.name, step.architecture) + "=" + version
  }

  /// Returns a name in apt's form: packages with architecture `all` have no suffix.
  static func qualified(_ name: String, _ architecture: String?) -> String {
    guard let architecture, architecture != "all" else { return name }
    return name + ":" + architecture
  }
}

extension JobRequest {
  /// Whether an upgrade by name may install new packages: a retry names the new packages of the
  /// first job.
  var bringsNew: Bool { updates.contains(where: \.isAutomatic) }
}
