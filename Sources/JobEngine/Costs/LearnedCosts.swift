import InstallJobs
import JobJournal

/// How long something took before: the median, and how far single times lie from it.
struct LearnedCost: Sendable, Hashable {
  /// The median, in seconds.
  var seconds: Double
  /// The standard deviation, by the distance of the quartiles: one time that went wrong does not
  /// count there.
  var deviation: Double

  /// The cost of something so many times as large.
  func scaled(by factor: Double) -> LearnedCost {
    LearnedCost(seconds: seconds * factor, deviation: deviation * factor)
  }
}

/// How long the stages of a plan will take, by how long they took before on this machine.
///
/// The median of the same package and version counts, else of the same package, else what the size
/// says times the median of all packages on this machine. Fewer than three samples say nothing, and
/// none older than half a year counts.
struct LearnedCosts: Sendable {
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

  private var costs: [Key: LearnedCost] = [:]
  /// For each stage, what it took in relation to what its size lets expect.
  private var factors: [CostStage: LearnedCost] = [:]
  /// For each host that archives came from, seconds for a byte.
  private var rates: [String: LearnedCost] = [:]
  /// The same of transfers that were over in no time, as those from a host next door are: what they
  /// take at most.
  private var quickRates: [String: LearnedCost] = [:]

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
    // Too few of a package leave what is known of the machine.
    for (key, values) in seconds {
      if let cost = LearnedCost(values) { costs[key] = cost }
    }
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
    var quickRates: [String: [Double]] = [:]
    for sample in samples where sample.isPlausible(at: time) {
      guard let stage = CostStage(rawValue: sample.stage) else { continue }
      switch stage {
      case .connect, .prepare, .conclude:
        seconds[Key(stage: stage, package: "", version: nil), default: []].append(sample.seconds)
      case .download:
        guard sample.bytes >= Self.significantMilliseconds else { continue }
        guard sample.seconds >= Self.instant else {
          quickRates[sample.host, default: []].append(Self.instant / Double(sample.bytes))
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

  /// Transfers of fewer bytes say more about the way there than about its rate.
  static let significantMilliseconds: Int64 = 100_000
  /// So do those that took fewer seconds.
  private static let instant = 0.2

  /// Whether what every job has is known, whatever its packages.
  var knowsMachine: Bool {
    [.prepare, .conclude].allSatisfy { cost(of: $0, ofJobFor: "") != nil }
      && factors[.unpack] != nil
  }

  /// What a stage of a step costs; nil where that is not known.
  func cost(of stage: CostStage, of step: PlannedUpdate) -> LearnedCost? {
    ownCost(of: stage, of: step)
      ?? factors[stage]?.scaled(by: stage.assumedSeconds(for: step.installedSize))
  }

  /// The same by what this very package cost, in any version; nil where that is not known.
  func ownCost(of stage: CostStage, of step: PlannedUpdate) -> LearnedCost? {
    let version = step.toVersion ?? step.fromVersion ?? ""
    for version in [version, nil] {
      let key = Key(stage: stage, package: step.name, version: version)
      if let known = costs[key] { return known }
    }
    return nil
  }

  /// Seconds that a stage of a step will take; nil where that is not known.
  func seconds(of stage: CostStage, of step: PlannedUpdate) -> Double? {
    cost(of: stage, of: step)?.seconds
  }

  /// What the transfer of an archive costs; nil where its host's rate is not known.
  func cost(ofTransfer archive: PlannedArchive) -> LearnedCost? {
    rates[archive.host]?.scaled(by: Double(archive.size))
  }

  /// What the transfer of an archive costs, also where all that came from its host came in no time;
  /// nil where nothing came from there.
  func expectedCost(ofTransfer archive: PlannedArchive) -> LearnedCost? {
    if let known = cost(ofTransfer: archive) { return known }
    // An archive that says more about the way there than about the rate.
    guard archive.size >= Self.significantMilliseconds else {
      return LearnedCost(seconds: 0, deviation: 0)
    }
    return quickRates[archive.host]?.scaled(by: Double(archive.size))
  }

  /// Seconds that the transfer of an archive will take; nil where its host's rate is not known.
  func seconds(ofTransfer archive: PlannedArchive) -> Double? {
    cost(ofTransfer: archive)?.seconds
  }

  /// What a stage of the job as a whole costs.
  ///
  /// - Parameters:
  ///   - stage: One that is no package's.
  ///   - package: What is asked for first: triggers at the end depend on it.
  /// - Returns: Nil where that is not known.
  func cost(of stage: CostStage, ofJobFor package: String) -> LearnedCost? {
    costs[Key(stage: stage, package: package, version: nil)]
      ?? costs[Key(stage: stage, package: "", version: nil)]
  }
}

extension LearnedCost {
  /// No stage is known better than to this share of its length: the machine is not always as busy.
  private static let leastDeviation = 0.05
  /// How many standard deviations lie between the quartiles of what is spread normally.
  private static let quartiles = 1.349

  /// What some samples tell; nil for too few.
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
  /// Whether it can be true and is not too old.
  fileprivate func isPlausible(at time: Timestamp) -> Bool {
    let age = time.seconds(since: at)
    // A clock that was wrong once must not keep what was learned for ever: the future is no sample.
    return age <= LearnedCosts.longestAge && age >= -86_400 && seconds.isFinite && seconds >= 0
      && bytes >= 0
  }
}

extension PlannedArchive {
  /// The host that it is fetched from, with the port and without who asks; empty for a file of this
  /// machine.
  var host: String {
    // `http://HOST/path`
    let parts = uri.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2, parts[1].isEmpty else { return "" }
    return String(parts[2].split(separator: "@").last ?? "")
  }
}
