import InstallJobs
import JobJournal

/// A learned duration: the median of the samples and their deviation.
struct LearnedCost: Sendable, Hashable {
  /// The median, in seconds.
  var seconds: Double
  /// The standard deviation in seconds, estimated from the quartiles, so that a single outlier has
  /// no effect.
  var deviation: Double

  /// The cost of `factor` times the size.
  func scaled(by factor: Double) -> LearnedCost {
    LearnedCost(seconds: seconds * factor, deviation: deviation * factor)
  }
}

/// Expected durations of a plan's stages, learned from earlier durations on this machine.
///
/// The median of the same package and version is used, else of the same package, else the value
/// expected from the size times the median factor of all packages on this machine. Fewer than three
/// samples are not used, nor are samples older than half a year.
struct LearnedCosts: Sendable {
  /// Minimum number of samples for a learned cost.
  static let fewestSamples = 3
  /// Maximum age of a sample, in seconds: an older one may describe other hardware or another
  /// network.
  static let longestAge = 180 * 86_400.0
  /// Number of samples of each stage that are read for the machine as a whole.
  static let samplesOfMachine = 200

  private struct Key: Hashable {
    var stage: CostStage
    var package: String
    var version: String?
  }

  private var costs: [Key: LearnedCost] = [:]
  /// For each stage, the duration relative to the one expected from the size.
  private var factors: [CostStage: LearnedCost] = [:]
  /// For each host of archives, seconds per byte.
  private var rates: [String: LearnedCost] = [:]
  /// For each host whose transfers were too short to measure, such as a host on the local network,
  /// maximum seconds per byte.
  private var quickRates: [String: LearnedCost] = [:]

  /// Creates empty costs.
  init() {}

  /// Creates the costs of a plan: the machine's costs, and the costs of the plan's packages.
  ///
  /// - Parameters:
  ///   - samples: Samples of the packages, in any order. Samples of unknown stages, samples that
  ///     are too old and implausible samples are ignored, here and below.
  ///   - machine: The machine's costs, see ``init(ofMachine:at:)``.
  ///   - time: The present time.
  init(ofPackages samples: [DurationSample], on machine: LearnedCosts, at time: Timestamp) {
    var seconds: [Key: [Double]] = [:]
    for sample in samples where sample.isPlausible(at: time) && !sample.package.isEmpty {
      guard let stage = CostStage(rawValue: sample.stage) else { continue }
      for version in [sample.version, nil] {
        let key = Key(stage: stage, package: sample.package, version: version)
        seconds[key, default: []].append(sample.seconds)
      }
    }
    self = machine
    // Too few samples of a package leave the machine's costs in place.
    for (key, values) in seconds {
      if let cost = LearnedCost(values) { costs[key] = cost }
    }
  }

  /// Creates the costs of any package and transfer on this machine.
  ///
  /// - Parameters:
  ///   - samples: The newest samples of each stage.
  ///   - time: The present time.
  init(ofMachine samples: [DurationSample], at time: Timestamp) {
    var seconds: [Key: [Double]] = [:]
    var factors: [CostStage: [Double]] = [:]
    var rates: [String: [Double]] = [:]
    var quickRates: [String: [Double]] = [:]
    for sample in samples where sample.isPlausible(at: time) {
      guard let stage = CostStage(rawValue: sample.stage) else { continue }
      switch stage {
      case .connect, .prepare, .conclude:
        seconds[Key(stage: stage, package: "", version: nil), default: []].append(sample.seconds)
      case .download:
        guard sample.bytes >= Self.minimumRateBytes else { continue }
        guard sample.seconds >= Self.minimumRateSeconds else {
          quickRates[sample.host, default: []].append(
            Self.minimumRateSeconds / Double(sample.bytes))
          continue
        }
        rates[sample.host, default: []].append(sample.seconds / Double(sample.bytes))
      case .unpack, .configure, .remove:
        let shape = stage.assumedSeconds(for: sample.bytes)
        factors[stage, default: []].append(sample.seconds / shape)
      }
    }
    costs = seconds.compactMapValues { LearnedCost($0) }
    self.factors = factors.compactMapValues { LearnedCost($0) }
    self.rates = rates.compactMapValues { LearnedCost($0) }
    self.quickRates = quickRates.compactMapValues { LearnedCost($0) }
  }

  /// Minimum size, in bytes, of a transfer that is used as a sample of the rate: a smaller one
  /// measures the connection rather than its rate.
  static let minimumRateBytes: Int64 = 100_000
  /// Minimum duration, in seconds, of a transfer that is used as a sample of the rate.
  private static let minimumRateSeconds = 0.2

  /// Whether the costs that every job has are known, whatever its packages.
  var knowsMachine: Bool {
    [.prepare, .conclude].allSatisfy { cost(of: $0, ofJobFor: "") != nil }
      && factors[.unpack] != nil
  }

  /// The cost of a stage of a step; nil when unknown.
  func cost(of stage: CostStage, of step: PlannedUpdate) -> LearnedCost? {
    ownCost(of: stage, of: step)
      ?? factors[stage]?.scaled(by: stage.assumedSeconds(for: step.installedSize))
  }

  /// The cost from samples of this package, in the same version or else any version; nil when
  /// unknown.
  func ownCost(of stage: CostStage, of step: PlannedUpdate) -> LearnedCost? {
    let version = step.toVersion ?? step.fromVersion ?? ""
    for version in [version, nil] {
      let key = Key(stage: stage, package: step.name, version: version)
      if let known = costs[key] { return known }
    }
    return nil
  }

  /// The cost of an archive's transfer; nil when its host's rate is unknown.
  func cost(ofTransfer archive: PlannedArchive) -> LearnedCost? {
    rates[archive.host]?.scaled(by: Double(archive.size))
  }

  /// The cost of an archive's transfer, also from a host whose transfers were too short to measure;
  /// nil when nothing was fetched from the host.
  func expectedCost(ofTransfer archive: PlannedArchive) -> LearnedCost? {
    if let known = cost(ofTransfer: archive) { return known }
    // Below this size the rate does not matter.
    guard archive.size >= Self.minimumRateBytes else {
      return LearnedCost(seconds: 0, deviation: 0)
    }
    return quickRates[archive.host]?.scaled(by: Double(archive.size))
  }

  /// Expected seconds of an archive's transfer; nil when its host's rate is unknown.
  func seconds(ofTransfer archive: PlannedArchive) -> Double? {
    cost(ofTransfer: archive)?.seconds
  }

  /// The cost of a stage of the job as a whole.
  ///
  /// - Parameters:
  ///   - stage: A stage without a package.
  ///   - package: The first requested package, on which the triggers at the end depend.
  /// - Returns: The cost; nil when unknown.
  func cost(of stage: CostStage, ofJobFor package: String) -> LearnedCost? {
    costs[Key(stage: stage, package: package, version: nil)]
      ?? costs[Key(stage: stage, package: "", version: nil)]
  }
}

extension LearnedCost {
  /// Minimum deviation as a share of the duration, because the machine's load varies.
  private static let leastDeviation = 0.05
  /// Distance of the quartiles of a normal distribution, in standard deviations.
  private static let quartiles = 1.349

  /// Computes the cost from samples; nil when there are too few.
  init?(_ samples: [Double]) {
    guard samples.count >= LearnedCosts.fewestSamples else { return nil }
    let sorted = samples.sorted()
    func quantile(_ share: Double) -> Double {
      let place = share * Double(sorted.count - 1)
      let low = Int(place)
      let high = min(low + 1, sorted.count - 1)
      return sorted[low] + (sorted[high] - sorted[low]) * (place - Double(low))
    }
    seconds = quantile(0.5)
    let distance = quantile(0.75) - quantile(0.25)
    deviation = max(distance / Self.quartiles, seconds * Self.leastDeviation)
  }
}

extension DurationSample {
  /// Whether the sample is plausible and not too old.
  fileprivate func isPlausible(at time: Timestamp) -> Bool {
    let age = time.seconds(since: at)
    // A sample from the future, recorded with a wrong clock, would otherwise count for ever.
    return age <= LearnedCosts.longestAge && age >= -86_400 && seconds.isFinite && seconds >= 0
      && bytes >= 0
  }
}

extension PlannedArchive {
  /// The host and port of the archive's address, without credentials; empty for a local file.
  var host: String {
    // The form of the address: `http://HOST/path`.
    let parts = uri.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2, parts[1].isEmpty else { return "" }
    return String(parts[2].split(separator: "@").last ?? "")
  }
}
