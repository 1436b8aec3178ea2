import InstallJobs
import JobJournal

/// How long the stages of a plan will take, by how long they took before on this machine.
///
/// The median of the same package and version counts, else of the same package, else what the size
/// says times the median of all packages on this machine. Fewer than three samples say nothing, and
/// none older than half a year counts.
struct LearnedCosts: Sendable {
  /// Seconds that a stage is expected to take.
  struct Estimate: Sendable, Hashable {
    /// The median; never negative.
    var seconds: Double
    /// Half the distance between the quartiles: half of the samples lie within so many seconds.
    var spread: Double
    /// Whether it comes from the same package, not from the machine as a whole.
    var isOfPackage: Bool
  }

  /// With fewer samples nothing is known.
  static let fewestSamples = 3
  /// Older samples tell of another machine, disk or network, in seconds.
  static let longestAge = 180 * 86_400.0
  /// Of a stage so many samples are looked at for the machine as a whole.
  static let samplesOfMachine = 200

  private struct Key: Hashable {
    var stage: CostStage
    var package: String
    var version: String?
  }

  private var seconds: [Key: Quartiles] = [:]
  /// For each stage, what it took in relation to what its size lets expect.
  private var factors: [CostStage: Quartiles] = [:]
  /// For each host that archives came from, seconds for a byte.
  private var rates: [String: Quartiles] = [:]

  /// Nothing is known.
  init() {}

  /// What a plan costs: the machine's costs with what is known of the plan's packages.
  ///
  /// - Parameters:
  ///   - samples: Of the packages, in any order; those of stages that nobody knows, too old or
  ///     without sense are left out, here and below.
  ///   - machine: What the machine costs, see ``init(ofMachine:at:)``.
  ///   - time: The present.
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
    for (key, values) in seconds { self.seconds[key] = Quartiles(values) }
  }

  /// What packages and transfers cost on this machine, whichever they are.
  ///
  /// - Parameters:
  ///   - samples: The newest of each stage.
  ///   - time: The present.
  init(ofMachine samples: [DurationSample], at time: Timestamp) {
    var seconds: [Key: [Double]] = [:]
    var factors: [CostStage: [Double]] = [:]
    var rates: [String: [Double]] = [:]
    for sample in samples where sample.isPlausible(at: time) {
      guard let stage = CostStage(rawValue: sample.stage) else { continue }
      switch stage {
      case .connect, .prepare, .conclude:
        seconds[Key(stage: stage, package: "", version: nil), default: []].append(sample.seconds)
      case .download:
        guard sample.bytes >= Self.telling, sample.seconds >= 0.2 else { continue }
        rates[sample.host, default: []].append(sample.seconds / Double(sample.bytes))
      case .unpack, .configure, .remove:
        let shape = stage.assumedSeconds(for: sample.bytes)
        factors[stage, default: []].append(sample.seconds / shape)
      }
    }
    self.seconds = seconds.compactMapValues { Quartiles($0) }
    self.factors = factors.compactMapValues { Quartiles($0) }
    self.rates = rates.compactMapValues { Quartiles($0) }
  }

  /// Transfers of fewer bytes say more about the way there than about its rate; one that took no
  /// time at all fetched nothing, because the archives were there.
  private static let telling: Int64 = 100_000

  /// What a stage of a step will take; nil where that is not known.
  func estimate(_ stage: CostStage, of step: PlannedUpdate) -> Estimate? {
    let version = step.toVersion ?? step.fromVersion ?? ""
    for version in [version, nil] {
      let key = Key(stage: stage, package: step.name, version: version)
      if let known = seconds[key] { return known.estimate(isOfPackage: true) }
    }
    let shape = stage.assumedSeconds(for: step.installedSize)
    return factors[stage]?.scaled(by: shape).estimate(isOfPackage: false)
  }

  /// What the transfer of an archive will take; nil where its host's rate is not known.
  func transfer(of archive: PlannedArchive) -> Estimate? {
    rates[archive.host]?.scaled(by: Double(archive.size)).estimate(isOfPackage: false)
  }

  /// What a stage of the job as a whole will take.
  ///
  /// - Parameters:
  ///   - stage: One that is no package's.
  ///   - package: What is asked for first: triggers at the end depend on it.
  /// - Returns: Nil where that is not known.
  func estimate(_ stage: CostStage, ofJobFor package: String) -> Estimate? {
    for name in [package, ""] {
      let key = Key(stage: stage, package: name, version: nil)
      if let known = seconds[key] { return known.estimate(isOfPackage: !name.isEmpty) }
    }
    return nil
  }
}

/// The middle of some numbers, and how far they lie apart.
private struct Quartiles: Sendable, Hashable {
  var low: Double
  var middle: Double
  var high: Double

  /// Nil for too few numbers.
  init?(_ numbers: [Double]) {
    guard numbers.count >= LearnedCosts.fewestSamples else { return nil }
    let sorted = numbers.sorted()
    low = Self.value(at: 0.25, of: sorted)
    middle = Self.value(at: 0.5, of: sorted)
    high = Self.value(at: 0.75, of: sorted)
  }

  private static func value(at share: Double, of sorted: [Double]) -> Double {
    let place = share * Double(sorted.count - 1)
    let (low, high) = (Int(place), min(Int(place) + 1, sorted.count - 1))
    return sorted[low] + (sorted[high] - sorted[low]) * (place - Double(low))
  }

  func scaled(by factor: Double) -> Quartiles {
    var scaled = self
    scaled.low *= factor
    scaled.middle *= factor
    scaled.high *= factor
    return scaled
  }

  func estimate(isOfPackage: Bool) -> LearnedCosts.Estimate {
    LearnedCosts.Estimate(
      seconds: middle, spread: (high - low) / 2, isOfPackage: isOfPackage)
  }
}

extension DurationSample {
  /// Whether it can be true and is not too old.
  fileprivate func isPlausible(at time: Timestamp) -> Bool {
    let age = time.seconds(since: at)
    // A clock that was wrong once must not keep what was learned for ever: the future is no sample.
    return age <= LearnedCosts.longestAge && age >= -86_400 && seconds.isFinite && seconds >= 0
      && bytes >= 0
  }
}

extension PlannedArchive {
  /// The host that it is fetched from, with the port; empty for a file of this machine.
  var host: String {
    // `http://HOST/path`
    let parts = uri.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count > 2 && parts[1].isEmpty ? String(parts[2]) : ""
  }
}
