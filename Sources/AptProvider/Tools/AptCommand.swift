package import InstallJobs

/// The arguments of `apt-get` that carry a plan out: the same ones that it was made with.
///
/// Options come first, then `--`, then names that the index is known to have, so that none can be
/// taken for an option, a pattern, or apt's own `NAME-` and `NAME+`.
package struct AptCommand: Sendable, Hashable {
  /// Options, action, `--` and names, as in a simulation.
  package var arguments: [String]

  package init(arguments: [String]) { self.arguments = arguments }

  /// Everything behind `apt-get` for fetching the archives, into the folder of
  /// ``AptConfiguration/Use/download(archives:)``.
  package var fetching: [String] { ["-q", "-y", "--download-only"] + arguments }

  /// Everything behind `apt-get` for the installing run.
  ///
  /// Nothing is fetched in it, except that apt looks up local archives: told not to download, it has
  /// no path for them and stops half-way (measured: `Pathname to install is not absolute`).
  package var installing: [String] {
    ["-q", "-y"] + (hasLocalArchives ? [] : ["--no-download"]) + arguments
  }

  private var hasLocalArchives: Bool { arguments.contains { $0.hasPrefix("/") } }

  /// The command for what is left of a plan; nil when nothing is left.
  ///
  /// The worker runs ``fetching``, then ``installing``. A repair also runs `dpkg --configure -a`,
  /// which mends what apt's own run leaves alone: triggers that wait.
  ///
  /// - Parameters:
  ///   - request: What was asked for.
  ///   - plan: The plan made for it.
  ///   - archiveStore: Where local archives lie, by their SHA-256.
  ///   - finishedSteps: Steps that are left out because they are done.
  package init?(
    for request: JobRequest, plan: JobPlan, archiveStore: String, finishedSteps: Set<Int> = []
  ) {
    guard plan.steps.indices.contains(where: { !finishedSteps.contains($0) }) else { return nil }
    let pending = plan.requests.filter { $0.step.map { !finishedSteps.contains($0) } ?? false }
    let isDowngrade = plan.steps.contains { $0.action == .downgrade }
    let names = pending.compactMap { row -> String? in
      let step = row.step.map { plan.steps[$0] }
      // In a repair only what must be unpacked is named; the rest is configured by itself.
      guard request.operation != .repair || step?.action.unpacks == true else { return nil }
      return Self.name(row, step: step, store: archiveStore)
    }
    self.init(
      request.operation, names: names, isForced: request.options.isForced,
      purges: request.options.purgesConfiguration, isDowngrade: isDowngrade,
      isEverything: request.updates.isEmpty, bringsNew: request.bringsNew, leftOut: plan.leftOut)
  }

  /// The command for names that were checked against the index.
  init(
    _ operation: JobOperation, names: [String], isForced: Bool, purges: Bool, isDowngrade: Bool,
    isEverything: Bool, bringsNew: Bool = false, leftOut: [JobPlan.LeftOut] = []
  ) {
    var options: [String] = []
    if isDowngrade { options.append("--allow-downgrades") }
    switch operation {
    case .install:
      if isForced { options.append("--reinstall") }
      arguments = options + ["install", "--"] + names
    case .reinstall:
      arguments = options + ["--reinstall", "install", "--"] + names
    case .upgrade where isEverything:
      // Named with the version that it has, a package stays, and what needs a newer one stays too.
      let names = leftOut.map { Self.qualified($0.name, $0.architecture) + "=" + $0.version }
      let staying = names.isEmpty ? [] : ["--"] + names
      arguments = options + ["--with-new-pkgs", "upgrade"] + staying
    case .upgrade:
      arguments = options + (bringsNew ? [] : ["--only-upgrade"]) + ["install", "--"] + names
    case .remove, .purge:
      arguments = options + [operation == .purge || purges ? "purge" : "remove", "--"] + names
    case .repair:
      arguments = options + ["--fix-broken", "--reinstall", "install", "--"] + names
    }
  }

  // Versions are those of the plan: what runs is what was planned, or nothing.
  private static func name(_ row: JobPlan.Request, step: PlannedUpdate?, store: String) -> String {
    if let archive = row.update.archive { return "\(store)/\(archive.sha256).deb" }
    guard let step, let version = step.toVersion, step.action.unpacks else {
      return step.map { qualified($0.name, $0.architecture) } ?? row.update.name
    }
    return qualified(step.name, step.architecture) + "=" + version
  }

  /// A name as apt takes it: packages for all architectures go by their name alone.
  static func qualified(_ name: String, _ architecture: String?) -> String {
    guard let architecture, architecture != "all" else { return name }
    return name + ":" + architecture
  }
}

extension JobRequest {
  /// Whether an upgrade by name may install: a retry names what the first job was to bring along.
  var bringsNew: Bool { updates.contains(where: \.isAutomatic) }
}
