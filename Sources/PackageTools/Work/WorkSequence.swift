package import InstallJobs

/// The order in which apt will do the work, from its simulation (`apt-get -s`).
///
/// The lines' shape is apt's (`Inst NAME [OLD] (NEW ORIGIN [ARCH]) [BROKEN...]`, `Conf`, `Remv`,
/// `Purg`); the brackets at the end name what is broken at that moment.
package struct WorkSequence: Sendable, Hashable {
  /// What is done to a package.
  package enum Kind: String, Sendable, Hashable {
    case unpack = "Inst"
    case configure = "Conf"
    case remove = "Remv"
    case purge = "Purg"
  }

  /// One operation of dpkg.
  package struct Operation: Sendable, Hashable {
    package var kind: Kind
    package var step: Int
    /// Whether dependencies are unmet after it.
    package var leavesBroken = false
  }

  /// The operations in their order; what the plan does not know is left out.
  package var operations: [Operation]

  /// The order that the plan's steps suggest, where no simulation is at hand.
  package init(of plan: JobPlan) {
    operations = plan.steps.enumerated().flatMap { index, step -> [Operation] in
      switch step.action {
      case .remove: [Operation(kind: .remove, step: index)]
      case .purge: [Operation(kind: .purge, step: index)]
      case .configure: [Operation(kind: .configure, step: index)]
      case .install, .upgrade, .downgrade, .reinstall:
        [Operation(kind: .unpack, step: index), Operation(kind: .configure, step: index)]
      }
    }
  }

  /// The order that a simulation printed.
  package init(printed text: String, names: PlanNames) {
    operations = text.split(separator: "\n").compactMap { line in
      guard let line = SimulatedLine(line), let step = names.step(of: line.package) else {
        return nil
      }
      return Operation(kind: line.kind, step: step, leavesBroken: line.leavesBroken)
    }
  }

  /// What a simulation must print for a step, in the form of ``operations(printed:)``.
  package static func expectation(of step: PlannedUpdate) -> String? {
    switch step.action {
    case .install, .upgrade, .downgrade, .reinstall:
      "Inst \(step.name) \(step.architecture) \(step.toVersion ?? "")"
    case .remove: "Remv \(step.name)"
    case .purge: "Purg \(step.name)"
    case .configure: nil
    }
  }

  /// The operations in a simulation's output that change which packages there are.
  package static func operations(printed text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").compactMap { line in
        guard let line = SimulatedLine(line) else { return nil }
        switch line.kind {
        case .configure: return nil
        case .remove, .purge: return "\(line.kind.rawValue) \(line.package.name)"
        case .unpack:
          let architecture = line.package.architecture ?? ""
          return "Inst \(line.package.name) \(architecture) \(line.version)"
        }
      })
  }
}

private struct SimulatedLine {
  var kind: WorkSequence.Kind
  var package: DpkgPackageName
  var version = ""
  var leavesBroken = false

  init?(_ line: Substring) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count > 1, let kind = WorkSequence.Kind(rawValue: String(words[0])),
      let package = DpkgPackageName(words[1])
    else { return nil }
    self.kind = kind
    self.package = package
    let rest = words.count > 2 ? words[2] : ""
    guard let open = rest.firstIndex(of: "("), let close = rest.firstIndex(of: ")") else {
      let brackets = rest.split(separator: "[", omittingEmptySubsequences: true)
      leavesBroken = brackets.count > 1
      return
    }
    let inside = rest[rest.index(after: open)..<close]
    version = inside.split(separator: " ").first.map(String.init) ?? ""
    if let bracket = inside.lastIndex(of: "[") {
      let architecture = inside[inside.index(after: bracket)...].prefix { $0 != "]" }
      self.package.architecture = String(architecture)
    }
    leavesBroken = rest[close...].contains("[")
  }
}
