/// Where the unpacking of a job is divided, so that a stop is near at any moment.
///
/// Left alone, apt unpacks everything in one call of dpkg and configures it in another: a stop in
/// the first leaves all that was unpacked to be configured, and in the second nothing can be stopped
/// any more. Two calls for each package would be the other end, at half as much time again for small
/// ones (measured). So packages are taken together as long as configuring them is known to be short;
/// packages that nobody has timed stand alone, save in jobs that have very many of them.
package struct WorkGroups: Sendable, Hashable {
  /// Archives after which what was unpacked is configured.
  package struct Group: Sendable, Hashable {
    /// The last archive's file name.
    package var end: String
    /// What is configured then, as `NAME:ARCHITECTURE`, in the order of unpacking.
    package var names: [String]
  }

  /// The groups in their order; what comes after the last one is left to apt.
  package var groups: [Group] = []

  /// The most seconds that configuring a group is expected to take, where it has more than one package
  /// and the job does not say otherwise.
  package static let longest = 2.0
  /// The most groups that are made because of packages that were never timed: each costs two calls of
  /// dpkg.
  package static let mostUntimed = 12

  package var isEmpty: Bool { groups.isEmpty }

  /// The text of the job folder's `groups`: a line for each, divided by tabs.
  package var text: String {
    groups.map { ([$0.end] + $0.names).joined(separator: "\t") + "\n" }.joined()
  }

  /// Divides apt's order of work.
  ///
  /// No group ends where dependencies are unmet, none where apt configures or removes next by itself,
  /// and none before what earlier work left unconfigured is configured.
  ///
  /// - Parameters:
  ///   - steps: apt's order.
  ///   - archives: What will be unpacked.
  ///   - seconds: The most that configuring a group is expected to take; 0 has each package stand alone.
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
    // apt takes what is half configured for there, dpkg does not: configuring what needs it would fail.
    let lastLeftover =
      steps.lastIndex { $0.kind == .configure && !unpacked.contains($0.name) } ?? -1
    let lastChange = steps.lastIndex { $0.kind != .configure } ?? -1
    var waiting = Waiting()
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
        waiting = Waiting()
      }
    }
  }

  /// What is unpacked and not configured.
  private struct Waiting {
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
      if names.isEmpty { self = Waiting() }
    }
  }
}

extension WorkSequence.Step {
  /// The package as dpkg names it, with its architecture.
  fileprivate var name: String { "\(package):\(architecture ?? "")" }
}

extension WorkOrder.Archive {
  /// The name under which the gate meets it.
  var fileName: String {
    nameInArchives ?? path.split(separator: "/").last.map(String.init) ?? path
  }
}
