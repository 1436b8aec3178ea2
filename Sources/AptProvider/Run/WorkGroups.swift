/// The division of a job's unpacking into groups, so that a stop is possible soon at any moment.
///
/// By default apt unpacks all packages in one call of dpkg and configures them in another. A stop
/// in the first call leaves all unpacked packages to be configured, and in the second call no stop
/// is possible. Two calls for each package would take half as much time again for small packages
/// (measured). So packages form a group as long as their configuration is known to be short.
/// Packages whose configuration was never measured form groups of one, except in jobs with many of
/// them.
package struct WorkGroups: Sendable, Hashable {
  /// Archives that are unpacked together and then configured.
  package struct Group: Sendable, Hashable {
    /// The file name of the group's last archive.
    package var end: String
    /// The packages to configure then, as `NAME:ARCHITECTURE`, in the order of unpacking.
    package var names: [String]
  }

  /// The groups in their order; apt handles the packages after the last group as usual.
  package var groups: [Group] = []

  /// Default maximum of seconds that configuring a group of several packages is expected to take.
  package static let longest = 2.0
  /// Maximum number of groups made because of packages without a measurement.
  ///
  /// Each group costs two calls of dpkg.
  package static let mostUntimed = 12

  package var isEmpty: Bool { groups.isEmpty }

  /// The text of the job folder's `groups`: one line for each group, fields separated by tabs.
  package var text: String {
    groups.map { ([$0.end] + $0.names).joined(separator: "\t") + "\n" }.joined()
  }

  /// Divides apt's order of work into groups.
  ///
  /// A group does not end where dependencies are unmet, where apt's next operation is a
  /// configuration or a removal, or before packages left unconfigured by earlier work are
  /// configured.
  ///
  /// - Parameters:
  ///   - steps: apt's order.
  ///   - archives: The archives to be unpacked.
  ///   - seconds: Maximum of seconds that configuring a group is expected to take; 0 makes one
  ///     group for each package.
  package init(
    of steps: [WorkSequence.Step], archives: [WorkOrder.Archive],
    within seconds: Double = WorkGroups.longest
  ) {
    let known = Dictionary(
      archives.map { ("\($0.package):\($0.architecture)", $0) },
      uniquingKeysWith: { first, _ in first })
    let untimed = archives.count { $0.configuringSeconds == nil }
    let mostAtOnce =
      seconds > 0 ? max(1, (untimed + Self.mostUntimed - 1) / Self.mostUntimed) : 1
    let unpacked = Set(steps.filter { $0.kind == .unpack }.map(\.name))
    // apt considers half-configured packages as present, dpkg does not: configuring packages that
    // depend on them would fail.
    let lastLeftover =
      steps.lastIndex { $0.kind == .configure && !unpacked.contains($0.name) } ?? -1
    let lastChange = steps.lastIndex { $0.kind != .configure } ?? -1
    var waiting = UnconfiguredPackages()
    for (index, step) in steps.enumerated() {
      let name = step.name
      switch step.kind {
      case .remove, .purge: break
      case .configure: waiting.remove(name)
      case .unpack:
        guard let archive = known[name] else { return }
        waiting.add(name, archive.configuringSeconds)
        guard index > lastLeftover, index < lastChange, steps[index + 1].kind == .unpack,
          !step.leavesBroken
        else { continue }
        let next = steps[index + 1]
        let following = known[next.name]?.configuringSeconds
        guard
          seconds == 0 || waiting.untimed >= mostAtOnce
            || waiting.seconds + (following ?? 0) > seconds
        else { continue }
        groups.append(Group(end: archive.fileName, names: waiting.names))
        waiting = UnconfiguredPackages()
      }
    }
  }

  /// The packages that are unpacked and not configured.
  private struct UnconfiguredPackages {
    var names: [String] = []
    var seconds = 0.0
    var untimed = 0

    mutating func add(_ name: String, _ expected: Double?) {
      names.append(name)
      seconds += expected ?? 0
      if expected == nil { untimed += 1 }
    }

    mutating func remove(_ name: String) {
      names.removeAll { $0 == name }
      if names.isEmpty { self = UnconfiguredPackages() }
    }
  }
}

extension WorkSequence.Step {
  /// The package with its architecture, as dpkg names it.
  fileprivate var name: String { "\(package):\(architecture ?? "")" }
}

extension WorkOrder.Archive {
  /// The file name under which the gate sees the archive.
  var fileName: String {
    nameInArchives ?? path.split(separator: "/").last.map(String.init) ?? path
  }
}
