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
    operations = Self.lines(text).compactMap { line, action in
      let package = DpkgPackageName(action.name, architecture: action.architecture)
      guard let step = names.step(of: package), let kind = Kind(rawValue: action.verb.rawValue)
      else { return nil }
      return Operation(kind: kind, step: step, leavesBroken: Self.leavesBroken(line, action))
    }
  }

  /// One operation of dpkg by the package's name, for whoever has no plan.
  package struct Step: Sendable, Hashable {
    package var kind: Kind
    package var package: String
    /// Nil where the simulation does not say.
    package var architecture: String?
    /// Whether dependencies are unmet after it.
    package var leavesBroken = false
  }

  /// The operations that a simulation printed, in their order.
  package static func steps(printed text: String) -> [Step] {
    lines(text).compactMap { line, action in
      Kind(rawValue: action.verb.rawValue).map {
        Step(
          kind: $0, package: action.name, architecture: action.architecture,
          leavesBroken: leavesBroken(line, action))
      }
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
    let actions = lines(text).map(\.1)
    let unpacked = Set(actions.filter { $0.verb == .unpack }.map(\.name))
    return Set(
      actions.compactMap { action in
        switch action.verb {
        case .configure: nil
        case .unpack:
          "Inst \(action.name) \(action.architecture ?? "") \(action.newVersion ?? "")"
        // A removal that makes room for another version of the package is part of its unpacking.
        case .remove, .purge:
          unpacked.contains(action.name) ? nil : "\(action.verb.rawValue) \(action.name)"
        }
      })
  }

  /// What apt tells its hooks when it will do what it printed, in the form that the gate at its
  /// intention gives that: `Inst NAME ARCHITECTURE VERSION`, `Conf` likewise, `Remv NAME`.
  package static func intention(printed text: String) -> String {
    lines(text).map { _, action in
      switch action.verb {
      case .unpack, .configure:
        "\(action.verb.rawValue) \(action.name) \(action.architecture ?? "") "
          + "\(action.newVersion ?? "")\n"
      // apt does not tell its hooks which of the two it is; the arguments do, and they are the plan's.
      case .remove, .purge: "Remv \(action.name)\n"
      }
    }.joined()
  }

  private static func lines(_ text: String) -> [(Substring, SimulatedAction)] {
    text.split(separator: "\n").compactMap { line in SimulatedAction(line).map { (line, $0) } }
  }

  // Behind the versions, apt names in brackets what is broken after the operation.
  private static func leavesBroken(_ line: Substring, _ action: SimulatedAction) -> Bool {
    if let close = line.firstIndex(of: ")") { return line[close...].contains("[") }
    return line.count { $0 == "[" } > (action.oldVersion == nil ? 0 : 1)
  }
}
