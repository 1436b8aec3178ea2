import FoundationEssentials
import HostSystem
package import InstallJobs
package import PackageProvider

/// The package database of a scenario, with the state needed to follow work after a restart of the
/// engine.
package struct SimulatedDatabase: Sendable, Hashable, Codable {
  /// One package of the simulated machine.
  package struct Entry: Sendable, Hashable, Codable {
    /// The state word of dpkg.
    package var state: String
    /// The installed or half-installed version; nil if there is none.
    package var version: String?
    /// The database's generation at the last change of the package.
    package var changedAt = 0

    package init(state: String, version: String?, changedAt: Int = 0) {
      self.state = state
      self.version = version
      self.changedAt = changedAt
    }

    /// The entry of a package that is not installed.
    package static var absent: Entry { Entry(state: "not-installed", version: nil) }
    /// Whether the package is unpacked and configured.
    package var isInstalled: Bool { state == "installed" }
  }

  /// A change by the work of a job.
  package enum Change: Sendable, Hashable {
    /// A package enters a state; nil keeps its version.
    case set(String, state: String, version: String?)
    /// A failed step restores a package's state before the job.
    case restore(String, state: String, version: String?)
    /// A package is removed; its configuration files stay.
    case leaveConfiguration(String)
    /// A package is purged.
    case clear(String)
    /// A package asks for a restart of the machine.
    case reboot(String)
    /// A failure happened once more.
    case countFailure(String)
    /// The foreign lock holder has ended.
    case lockPassed
    /// An archive was downloaded; the value is its file name.
    case fetched(String)
  }

  /// The state of the machine when a job's work started, on which its script depends.
  package struct StartState: Sendable, Hashable, Codable {
    /// The number of earlier failures of each package, by its key.
    package var failures: [String: Int] = [:]
    /// Whether the foreign lock holder has ended.
    package var lockPassed = false
    /// File names of the job's archives that were already downloaded; nil in files without this
    /// key.
    package var fetched: Set<String>?

    package init() {}
  }

  /// The progress of a job's work.
  package struct Work: Sendable, Hashable, Codable {
    package var circumstances: StartState
    /// Number of acts of the script that were played.
    package var position = 0
    /// The request to stop at the next boundary; nil if there is none.
    package var stop: StopRecord?
    /// How the work ended; nil while it runs.
    package var end: WorkEnd?
    /// Whether the worker vanished.
    package var isLost = false

    package init(_ circumstances: StartState) { self.circumstances = circumstances }
  }

  /// The packages, by `name:architecture`.
  package var packages: [String: Entry] = [:]
  /// Incremented by every change of a package.
  package var generation = 0
  /// Incremented by every change of the index.
  package var indexGeneration = 0
  package var rebootPackages: [String] = []
  /// The real machine's boot id at the last start of the provider; nil if unknown.
  package var bootID: String?
  /// The name of the scenario of the machine; nil in files without this key.
  package var scenario: String?
  /// The digest of that scenario, see ``Scenario/machineDigest``; nil in files without this key.
  package var digest: String?
  package var circumstances = StartState()
  /// File names of archives that were downloaded and stay; nil in files without this key.
  package var fetched: Set<String>?
  /// The works, by the job's number.
  package var works: [Int: Work] = [:]

  package init(_ scenario: Scenario) {
    for package in scenario.packages {
      guard let version = package.installed else { continue }
      packages[package.key] = Entry(state: "installed", version: version)
    }
  }

  /// The entry of a package; ``Entry/absent`` if the database does not contain it.
  package subscript(key: String) -> Entry { packages[key] ?? .absent }

  /// Applies a change.
  package mutating func apply(_ change: Change) {
    switch change {
    case .set(let key, let state, let version):
      generation += 1
      packages[key] = Entry(
        state: state, version: version ?? self[key].version, changedAt: generation)
    case .restore(let key, let state, let version):
      packages[key] = Entry(state: state, version: version)
    case .leaveConfiguration(let key):
      generation += 1
      packages[key] = Entry(state: "config-files", version: nil, changedAt: generation)
    case .clear(let key):
      generation += 1
      packages[key] = Entry(state: "not-installed", version: nil, changedAt: generation)
    case .reboot(let name): if !rebootPackages.contains(name) { rebootPackages.append(name) }
    case .countFailure(let key): circumstances.failures[key, default: 0] += 1
    case .lockPassed: circumstances.lockPassed = true
    case .fetched(let fileName): fetched = (fetched ?? []).union([fileName])
    }
  }

  /// Returns the circumstances for a job's work that starts now.
  package func circumstances(of plan: JobPlan) -> StartState {
    var found = circumstances
    found.fetched = fetched?.intersection(plan.archives.values.map(\.fileName))
    return found
  }

  /// Returns the expected database after the pending work; for plans only.
  package func expected(after pending: PendingWork) -> SimulatedDatabase {
    var expected = self
    for step in pending.changes.map(\.step) {
      switch step.action {
      case .install, .upgrade, .downgrade, .reinstall, .configure:
        expected.packages[step.key] = Entry(state: "installed", version: step.toVersion)
      case .remove: expected.packages[step.key] = Entry(state: "config-files", version: nil)
      case .purge: expected.packages[step.key] = .absent
      }
    }
    return expected
  }

  /// Removes the oldest ended works beyond `limit`, once there are more than twice as many works.
  package mutating func removeEndedWorks(beyond limit: Int) {
    guard works.count > limit * 2 else { return }
    for id in works.keys.sorted().prefix(works.count - limit)
    where works[id]?.end != nil || works[id]?.isLost == true { works[id] = nil }
  }

  /// Compares the database with the steps of a plan.
  package func verify(_ plan: JobPlan) -> Verification {
    let planned = SimulatedFingerprint(plan.fingerprint)?.generation
    var audit: [String] = []
    var repairs: [RepairAction] = []
    let findings = plan.steps.map { step in
      let entry = self[step.key]
      let isThere = entry.isInstalled && (step.toVersion == nil || entry.version == step.toVersion)
      let wasTouched = planned.map { entry.changedAt > $0 } ?? true
      let isAsPlanned =
        switch step.action {
        case .install, .upgrade, .downgrade, .configure: isThere
        case .reinstall: isThere && wasTouched
        case .remove: entry.state == "config-files" || entry.state == "not-installed"
        case .purge: entry.state == "not-installed"
        }
      let isBefore =
        step.fromVersion == nil ? entry.version == nil : entry.version == step.fromVersion
      let isHalf = !["installed", "config-files", "not-installed"].contains(entry.state)
      if isHalf {
        audit.append("\(step.name) is \(entry.state)")
        if entry.state == "half-installed" {
          repairs.append(.reinstall(step.name))
        } else if !repairs.contains(.finishConfiguration) {
          repairs.append(.finishConfiguration)
        }
      }
      return Verification.Finding(
        isAsPlanned: isAsPlanned,
        isUntouched: !wasTouched || (isBefore && !isHalf && !isAsPlanned),
        state: entry.state, version: entry.version)
    }
    let contradicted = plan.contradicted { update in
      let entry = packages.first { key, entry in
        entry.version != nil && key.hasPrefix(update.name + ":")
      }
      return entry.map { $0.value.isInstalled ? $0.value.version : nil }
    }
    return Verification(
      findings: findings, contradicted: contradicted, audit: audit.joined(separator: "\n"),
      repairs: repairs)
  }
}

extension SimulatedPackage {
  /// The package's key in the database.
  package var key: String { "\(name):\(architecture)" }
}

extension PlannedUpdate {
  /// The package's key in a simulated database.
  package var key: String { "\(name):\(architecture)" }
}

/// The fingerprint of a simulated plan: the generations of index and database from which it was
/// made.
package struct SimulatedFingerprint: Sendable, Hashable, CustomStringConvertible {
  package var index: Int
  package var generation: Int

  package init(index: Int, generation: Int) {
    self.index = index
    self.generation = generation
  }

  /// Parses the form of ``description``; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ":")
    guard parts.count == 3, parts[0] == "simulated", let index = Int(parts[1]),
      let generation = Int(parts[2])
    else { return nil }
    self.init(index: index, generation: generation)
  }

  package var description: String { "simulated:\(index):\(generation)" }
}

extension SimulatedDatabase {
  /// The name of the database's file in a state folder.
  package static let fileName = "simulated.json"

  /// Reads the database from a state folder; nil if there is none.
  ///
  /// - Throws: `badRoot` if the file exists and cannot be read.
  package static func read(inState folder: String) throws(InstallationError) -> SimulatedDatabase? {
    let path = "\(folder)/\(fileName)"
    guard RootFiles.linkExists(path) else { return nil }
    do {
      let bytes = RootFiles.bytes(of: path, limit: 1 << 28, followsLink: false) ?? []
      return try JSONDecoder().decode(SimulatedDatabase.self, from: Data(bytes))
    } catch {
      throw InstallationError(
        .badRoot, "the simulated package database in \(folder) is damaged", class: .fatal,
        hint: "remove \(folder)/\(fileName)")
    }
  }

  /// Writes the database into a state folder, by atomic rename.
  package func write(inState folder: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try encoder.encode(self).write(
      to: URL(filePath: "\(folder)/\(Self.fileName)"), options: .atomic)
  }
}
