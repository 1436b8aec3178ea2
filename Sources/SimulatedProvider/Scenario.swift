package import InstallJobs

/// A scripted package system: the packages of its index, their behaviour, and the jobs to submit.
///
/// Parsed from TOML or built in code. The same scenario with the same seed gives the same reports.
package struct Scenario: Sendable, Hashable {
  /// A range of durations in seconds; a duration is drawn from it uniformly with the seed.
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
    /// The exit status of the failed script.
    package var exitStatus: Int32
    package var code: InstallationError.Code
    /// The message of the error; nil for the default message.
    package var message: String?
    /// The number of jobs in which the failure happens; nil for all jobs.
    package var times: Int?
    /// Whether the work on the following packages continues.
    package var continuesAfterwards: Bool

    package init(
      _ stage: Stage, exitStatus: Int32 = 1, code: InstallationError.Code? = nil,
      message: String? = nil, times: Int? = nil, goesOn: Bool = false
    ) {
      self.stage = stage
      self.exitStatus = exitStatus
      self.code = code ?? (stage == .download ? .downloadFailed : .packageFailed)
      self.message = message
      self.times = times
      self.continuesAfterwards = goesOn
    }
  }

  /// A time without reports before the end of a stage.
  package struct Stall: Sendable, Hashable {
    package var stage: Stage
    package var seconds: Double

    package init(_ stage: Stage, seconds: Double) {
      self.stage = stage
      self.seconds = seconds
    }
  }

  /// Many reports in a short time before the end of a stage.
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

  /// Trigger processing of another package, at the end of the step that causes it.
  package struct Trigger: Sendable, Hashable {
    package var package: String
    package var seconds: Span

    package init(_ package: String, seconds: Span) {
      self.package = package
      self.seconds = seconds
    }
  }

  /// A question of a package during its configuration.
  ///
  /// There is no way to answer it yet: the configuration fails with `needsInput`.
  package struct Question: Sendable, Hashable {
    package var text: String
    package var defaultAnswer: String?

    package init(_ text: String, default defaultAnswer: String? = nil) {
      self.text = text
      self.defaultAnswer = defaultAnswer
    }
  }

  /// A foreign process that holds the package lock when the work first needs it.
  package struct Lock: Sendable, Hashable {
    package var holder: LockHolder
    package var seconds: Double
    /// Whether the process takes the lock again for every job; else only the first job waits for
    /// it.
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
    /// The time of the submission, in seconds after the start of the scenario.
    package var at: Double

    package init(_ request: JobRequest, at: Double = 0) {
      self.request = request
      self.at = at
    }
  }

  /// The scenario's name, displayed as the root of its jobs.
  package var name: String
  /// One sentence for display.
  package var summary = ""
  package var seed: UInt64 = 1
  /// Download rate in bytes per second, for each download.
  package var bytesPerSecond: Double = 4_000_000
  /// Number of simultaneous downloads.
  package var parallelDownloads = 1
  /// Seconds between two reports in a stage.
  package var tick = 0.1
  /// Whether work continues after a restart of the engine; else it is lost.
  package var survivesRestart = true
  package var lock: Lock?
  /// The index; of entries with the same name and architecture, a later one is the newer version.
  package var packages: [SimulatedPackage]
  package var jobs: [Job] = []

  package init(name: String, packages: [SimulatedPackage]) {
    self.name = name
    self.packages = packages
  }

  /// A digest of the scenario's machine: of everything but the summary and the jobs to submit.
  ///
  /// The digest is the same in every process (FNV-1a, 64 bits).
  package var machineDigest: String {
    var machine = self
    machine.summary = ""
    machine.jobs = []
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(machine)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}

/// One version of a package in a scenario's index, and its behaviour.
package struct SimulatedPackage: Sendable, Hashable {
  package var name: String
  package var version: String
  package var architecture = "amd64"
  /// Size of the archive in bytes.
  package var size: Int64 = 100_000
  /// Size on disk in bytes.
  package var installedSize: Int64 = 409_600
  /// Names of the packages that it depends on.
  package var dependencies: [String] = []
  /// Names of the packages that it conflicts with.
  package var conflicts: [String] = []
  package var origin = "Simulated:stable/main"
  /// The version that is installed at the start of the scenario; nil if not installed.
  package var installed: String?
  /// Whether it must not be removed.
  package var isEssential = false
  /// Whether it must be the only update of its job.
  package var isExclusive = false
  /// Whether it is held at its version.
  package var isHeld = false
  /// Duration of the download; nil derives it from size and rate.
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
  /// Whether its reported percentages and phases sometimes go backwards.
  package var regresses = false

  package init(_ name: String, _ version: String = "1.0") {
    self.name = name
    self.version = version
  }

  /// Returns the package with changes, for scenarios built in code.
  package func modified(_ change: (inout SimulatedPackage) -> Void) -> SimulatedPackage {
    var copy = self
    change(&copy)
    return copy
  }

  /// The package with all durations zero.
  package var instant: SimulatedPackage {
    modified {
      $0.download = 0
      $0.unpack = 0
      $0.configure = 0
      $0.remove = 0
    }
  }
}

extension Scenario {
  /// Returns a scenario with independent packages `p1`, `p2` and so on, with default durations.
  package static func steps(_ count: Int, seed: UInt64 = 1) -> Scenario {
    var scenario = Scenario(
      name: "\(count) steps", packages: (1...max(1, count)).map { SimulatedPackage("p\($0)") })
    scenario.seed = seed
    return scenario
  }

  /// Returns a scenario with independent packages `p1`, `p2` and so on, with all durations zero.
  package static func instant(_ count: Int) -> Scenario {
    Scenario(
      name: "instant", packages: (1...max(1, count)).map { SimulatedPackage("p\($0)").instant })
  }

  /// Returns the scenario with one package changed; an unknown name changes nothing.
  package func changing(
    _ name: String, _ change: (inout SimulatedPackage) -> Void
  ) -> Scenario {
    var copy = self
    for index in copy.packages.indices where copy.packages[index].name == name {
      change(&copy.packages[index])
    }
    return copy
  }

  /// A request to install all packages of the index, in its order.
  package var installsEverything: JobRequest {
    JobRequest(.install, packages.map { Update($0.name) })
  }
}
