internal import InstallJobs
import PackageProvider

/// One operation that apt would carry out.
struct SimulatedAction: Sendable, Hashable {
  var verb: SimulatedLine.Verb
  var name: String
  /// The architecture of the archive or of the installed package; nil for a removal or a
  /// configuration where the package database knows it.
  var architecture: String?
  var newVersion: String?
  /// What apt reports that it would do; nil for a package that its report lacks: one that would be
  /// installed again, or only configured.
  var mode: PlanReport.Mode?
  /// The releases that provide the new version, in apt's order.
  var origins: [PlanReport.Origin] = []
  /// Whether apt would mark the package as installed automatically; nil where it does not say.
  var isAutomatic: Bool?

  /// Whether any release that provides the new version has security updates.
  var isSecurity: Bool { origins.contains(where: \.isSecurity) }
}

/// The operations of one simulated run of apt, in apt's order.
///
/// The lines of the run give the order, the report gives the facts; both must name the same
/// operations.
struct SimulatedPlan: Sendable {
  let actions: [SimulatedAction]

  /// A run whose output is not understood.
  struct Misunderstood: Error {
    /// What is not understood, as a part of a sentence, with the package or the line.
    var reason: String
  }

  /// Reads a run.
  ///
  /// - Parameters:
  ///   - lines: The lines of apt's output.
  ///   - report: apt's report about the same run.
  ///   - database: The package database that apt read.
  /// - Throws: ``Misunderstood`` for a malformed line or name, for a line about a package that the report
  ///   lacks or describes differently, and for a package of the report without a line.
  init(
    _ lines: some Sequence<Substring>, _ report: PlanReport, _ database: PackageDatabase
  ) throws(Misunderstood) {
    guard let packages = report.packages else {
      throw Misunderstood(reason: "apt reported no list of packages")
    }
    let native = database.nativeArchitecture
    var unseen: [Key: PlanReport.Package] = [:]
    for package in packages {
      unseen[Key(name: package.name, architecture: package.architecture)] = package
    }
    let known = unseen
    var actions: [SimulatedAction] = []
    for text in lines {
      let line: SimulatedLine
      do throws(SimulatedLine.Malformed) {
        guard let parsed = try SimulatedLine(text) else { continue }
        line = parsed
      } catch {
        throw Misunderstood(reason: "the line '\(error.line)'")
      }
      // apt takes any name of an index; dpkg, scripts and people do not.
      guard Update.isPackageName(line.name),
        line.foreignArchitecture.map(Update.isArchitecture) ?? true
      else {
        throw Misunderstood(reason: "the package name in the line '\(text)'")
      }
      let key = Key(name: line.name, architecture: line.foreignArchitecture ?? native)
      let package = known[key]
      var action = SimulatedAction(
        verb: line.verb, name: line.name, architecture: line.architecture,
        newVersion: line.newVersion, mode: package?.mode, isAutomatic: package?.automatic)
      let isKnown: Bool
      switch line.verb {
      case .configure: isKnown = true
      case .remove, .purge: isKnown = package != nil
      case .unpack:
        if let version = package?.versions.install {
          isKnown = version.version == line.newVersion && version.architecture == line.architecture
          action.origins = version.origins ?? []
        } else {
          // apt does not report what it would install again.
          let present = database.entry(line.name, line.architecture)
          isKnown = present?.isPresent == true && present?.version == line.newVersion
        }
      }
      guard isKnown else {
        throw Misunderstood(reason: "the line '\(text)', which apt's report does not confirm")
      }
      let isDone =
        switch package?.mode {
        case .deinstall, .purge: line.verb == .remove || line.verb == .purge
        default: line.verb == .unpack
        }
      if isDone { unseen[key] = nil }
      actions.append(action)
    }
    if let left = unseen.keys.min() {
      throw Misunderstood(
        reason: "the report of '\(left.name):\(left.architecture)', which no line names")
    }
    self.actions = actions
  }

  private struct Key: Hashable, Comparable {
    var name: String
    var architecture: String

    static func < (one: Key, other: Key) -> Bool {
      (one.name, one.architecture) < (other.name, other.architecture)
    }
  }
}

extension PlanReport.Origin {
  /// Whether the release has security updates.
  var isSecurity: Bool { [label, archive, codename].contains { $0?.namesSecurity == true } }
}
