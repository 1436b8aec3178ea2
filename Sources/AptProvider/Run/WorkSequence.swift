package import InstallJobs

/// The order of apt's operations, from its simulation (`apt-get -s`).
///
/// The lines have apt's form (`Inst NAME [OLD] (NEW ORIGIN [ARCH]) [BROKEN...]`, `Conf`, `Remv`,
/// `Purg`). The brackets at the end name the packages with broken dependencies after the operation.
package struct WorkSequence: Sendable, Hashable {
  /// The kind of operation on a package.
  package enum Kind: String, Sendable, Hashable {
    case unpack = "Inst"
    case configure = "Conf"
    case remove = "Remv"
    case purge = "Purg"
  }

  /// One operation of dpkg on a step's package.
  package struct Operation: Sendable, Hashable {
    package var kind: Kind
    package var step: Int
    /// Whether dependencies are unmet after it.
    package var leavesBroken = false
  }

  /// The operations in their order; packages outside the plan are left out.
  package var operations: [Operation]

  /// Creates the order that the plan's steps suggest, for use without a simulation.
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

  /// Creates the order that a simulation printed.
  package init(printed text: String, names: PlanNames) {
    operations = Self.lines(text).compactMap { action in
      let package = DpkgPackageName(action.name, architecture: action.architecture)
      guard let step = names.step(of: package), let kind = Kind(rawValue: action.verb.rawValue)
      else { return nil }
      return Operation(kind: kind, step: step, leavesBroken: action.leavesBroken)
    }
  }

  /// One operation of dpkg by the package's name, for use without a plan.
  package struct Step: Sendable, Hashable {
    package var kind: Kind
    package var package: String
    /// Nil where the simulation does not say.
    package var architecture: String?
    /// Whether dependencies are unmet after it.
    package var leavesBroken = false
  }

  /// Parses the operations that a simulation printed, in their order.
  package static func steps(printed text: String) -> [Step] {
    lines(text).compactMap { action in
      Kind(rawValue: action.verb.rawValue).map {
        Step(
          kind: $0, package: action.name, architecture: action.architecture,
          leavesBroken: action.leavesBroken)
      }
    }
  }

  /// The line that a simulation must contain for a step, in the form of ``operations(printed:)``.
  ///
  /// Nil for a step that only configures.
  package static func expectation(of step: PlannedUpdate) -> String? {
    switch step.action {
    case .install, .upgrade, .downgrade, .reinstall:
      "Inst \(step.name) \(step.architecture) \(step.toVersion ?? "")"
    case .remove: "Remv \(step.name)"
    case .purge: "Purg \(step.name)"
    case .configure: nil
    }
  }

  /// The operations in a simulation's output that install, change or remove packages.
  ///
  /// A line of an operation that cannot be read is in the set as it is, so that the set equals no
  /// expectation.
  package static func operations(printed text: String) -> Set<String> {
    let actions = lines(text)
    let unpacked = Set(actions.filter { $0.verb == .unpack }.map(\.name))
    return malformedLines(text).union(
      actions.compactMap { action in
        switch action.verb {
        case .configure: nil
        case .unpack:
          "Inst \(action.name) \(action.architecture ?? "") \(action.newVersion ?? "")"
        // A removal of a package that is also unpacked is part of the unpacking.
        case .remove, .purge:
          unpacked.contains(action.name) ? nil : "\(action.verb.rawValue) \(action.name)"
        }
      })
  }

  /// What apt announces to its hooks for the operations that it printed, in the intention gate's
  /// format.
  ///
  /// The lines are `Inst NAME ARCHITECTURE VERSION`, `Conf` likewise, and `Remv NAME`.
  package static func intention(printed text: String) -> String {
    lines(text).map { action in
      switch action.verb {
      case .unpack, .configure:
        "\(action.verb.rawValue) \(action.name) \(action.architecture ?? "") "
          + "\(action.newVersion ?? "")\n"
      // apt's hooks cannot tell removal and purge apart; apt's arguments, taken from the plan,
      // decide.
      case .remove, .purge: "Remv \(action.name)\n"
      }
    }.joined()
  }

  private static func lines(_ text: String) -> [SimulatedLine] {
    text.split(separator: "\n").compactMap { try? SimulatedLine($0) }
  }

  private static func malformedLines(_ text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").compactMap { line in
        do throws(SimulatedLine.Malformed) {
          _ = try SimulatedLine(line)
          return nil
        } catch {
          return error.line
        }
      })
  }
}
