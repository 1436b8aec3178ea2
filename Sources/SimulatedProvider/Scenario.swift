package import InstallJobs

/// A scripted package system: what its index offers, how each package behaves, which jobs come.
///
/// Read from TOML or built in code. The same scenario with the same seed plays the same reports.
package struct Scenario: Sendable, Hashable {
  /// A duration in seconds, drawn evenly from a range by the seed; a single value is fixed.
  package struct Span: Sendable, Hashable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    package var range: ClosedRange<Double>

    package init(_ range: ClosedRange<Double>) { self.range = range }
    package init(floatLiteral value: Double) { range = value...value }
    package init(integerLiteral value: Int) { range = Double(value)...Double(value) }
  }

  /// A stage of the work on one package.
  package enum Stage: String, Sendable, Hashable, CaseIterable {
    case download
    case unpack
    case configure
    case remove
  }

  /// A failure of one stage.
  package struct Failure: Sendable, Hashable {
    package var stage: Stage
    /// The exit status of the script that failed.
    package var exitStatus: Int32
    package var code: InstallationError.Code
    /// What happened, in place of the usual sentence.
    package var message: String?
    /// How many jobs it happens to before it is over; nil for ever.
    package var times: Int?
    /// Whether the packages after it are still worked on.
    package var goesOn: Bool

    package init(
      _ stage: Stage, exitStatus: Int32 = 1, code: InstallationError.Code? = nil,
      message: String? = nil, times: Int? = nil, goesOn: Bool = false
    ) {
      self.stage = stage
      self.exitStatus = exitStatus
      self.code = code ?? (stage == .download ? .downloadFailed : .packageFailed)
      self.message = message
      self.times = times
      self.goesOn = goesOn
    }
  }

  /// A silence in the middle of a stage.
  package struct Stall: Sendable, Hashable {
    package var stage: Stage
    package var seconds: Double

    package init(_ stage: Stage, seconds: Double) {
      self.stage = stage
      self.seconds = seconds
    }
  }

  /// Many reports in a short time, in the middle of a stage.
  package struct Flood: Sendable, Hashable {
    package var stage: Stage
    package var reports: Int
    package var seconds: Double

    package init(_ stage: Stage, reports: Int, seconds: Double) {
      self.stage = stage
      self.reports = reports
      self.seconds = seconds
    }
  }

  /// Work of a package outside the plan, at the end of the step that causes it.
  package struct Trigger: Sendable, Hashable {
    package var package: String
    package var seconds: Span

    package init(_ package: String, seconds: Span) {
      self.package = package
      self.seconds = seconds
    }
  }

  /// A question of a package at its configuration.
  ///
  /// Nobody can answer yet: it fails with `needsInput`.
  package struct Question: Sendable, Hashable {
    package var text: String
    package var defaultAnswer: String?

    package init(_ text: String, default defaultAnswer: String? = nil) {
      self.text = text
      self.defaultAnswer = defaultAnswer
    }
  }

  /// A foreign process that holds the package lock when work first comes to it.
  package struct Lock: Sendable, Hashable {
    package var holder: LockHolder
    package var seconds: Double
    /// Whether it comes back for every job; else the first job alone meets it.
    package var everyJob: Bool

    package init(_ holder: LockHolder, seconds: Double, everyJob: Bool = false) {
      self.holder = holder
      self.seconds = seconds
      self.everyJob = everyJob
    }
  }

  /// A job that a demonstration or benchmark submits.
  package struct Job: Sendable, Hashable {
    package var request: JobRequest
    /// When to submit it, in seconds after the start of the scenario.
    package var at: Double

    package init(_ request: JobRequest, at: Double = 0) {
      self.request = request
      self.at = at
    }
  }

  /// The scenario's name, shown as the root of its jobs.
  package var name: String
  /// One sentence for people.
  package var summary = ""
  package var seed: UInt64 = 1
  /// Downloaded bytes a second, of each download.
  package var bytesPerSecond: Double = 4_000_000
  /// Downloads at a time.
  package var parallelDownloads = 1
  /// Seconds between two reports inside a stage.
  package var tick = 0.1
  /// Whether work goes on when the engine is started anew; else it is lost.
  package var survivesRestart = true
  package var lock: Lock?
  /// The index; a later entry of the same name and architecture is the newer version.
  package var packages: [SimulatedPackage]
  package var jobs: [Job] = []

  package init(name: String, packages: [SimulatedPackage]) {
    self.name = name
    self.packages = packages
  }

  /// Tells the machines of scenarios apart, by everything but the summary and the jobs to submit.
  ///
  /// The same in every process (FNV-1a, 64 bits).
  package var machineDigest: String {
    var machine = self
    machine.summary = ""
    machine.jobs = []
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(machine)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}

/// One package in one version in a scenario's index, and how it behaves.
package struct SimulatedPackage: Sendable, Hashable {
  package var name: String
  package var version: String
  package var architecture = "amd64"
  /// Bytes of its archive.
  package var size: Int64 = 100_000
  /// Bytes on disk.
  package var installedSize: Int64 = 409_600
  /// Names of the packages it needs.
  package var dependencies: [String] = []
  /// Names of the packages it cannot be installed beside.
  package var conflicts: [String] = []
  package var origin = "Simulated:stable/main"
  /// The version that is installed when the scenario starts; nil when it is absent.
  package var installed: String?
  /// Whether it must not be removed.
  package var isEssential = false
  /// Whether it must be the only update of its job.
  package var isExclusive = false
  /// Whether it is kept at its version.
  package var isHeld = false
  /// How long the download takes; nil when size and rate say.
  package var download: Scenario.Span?
  package var unpack: Scenario.Span = 0.3
  package var configure: Scenario.Span = 0.3
  package var remove: Scenario.Span = 0.3
  package var failure: Scenario.Failure?
  package var stall: Scenario.Stall?
  package var flood: Scenario.Flood?
  package var trigger: Scenario.Trigger?
  package var question: Scenario.Question?
  /// The stage in whose middle the worker vanishes.
  package var crash: Scenario.Stage?
  /// Whether it asks for a restart of the machine once it is configured.
  package var requiresReboot = false
  /// Whether its numbers and phases step back now and then.
  package var regresses = false

  package init(_ name: String, _ version: String = "1.0") {
    self.name = name
    self.version = version
  }

  /// The package with changes, for scenarios built in code.
  package func with(_ change: (inout SimulatedPackage) -> Void) -> SimulatedPackage {
    var copy = self
    change(&copy)
    return copy
  }

  /// Its whole work takes no time at all.
  package var instant: SimulatedPackage {
    with {
      $0.download = 0
      $0.unpack = 0
      $0.configure = 0
      $0.remove = 0
    }
  }
}

extension Scenario {
  /// Packages `p1`, `p2` and so on that do not depend on each other, with the default durations.
  package static func steps(_ count: Int, seed: UInt64 = 1) -> Scenario {
    var scenario = Scenario(
      name: "\(count) steps", packages: (1...max(1, count)).map { SimulatedPackage("p\($0)") })
    scenario.seed = seed
    return scenario
  }

  /// The same, with work that takes no time.
  package static func instant(_ count: Int) -> Scenario {
    Scenario(
      name: "instant", packages: (1...max(1, count)).map { SimulatedPackage("p\($0)").instant })
  }

  /// The scenario with one package changed; unknown names change nothing.
  package func changing(
    _ name: String, _ change: (inout SimulatedPackage) -> Void
  ) -> Scenario {
    var copy = self
    for index in copy.packages.indices where copy.packages[index].name == name {
      change(&copy.packages[index])
    }
    return copy
  }

  /// A request to install everything in the index, in its order.
  package var installsEverything: JobRequest {
    JobRequest(.install, packages.map { Update($0.name) })
  }
}
