import InstallJobs
import JobJournal

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

  private var seconds: [Key: Double] = [:]
  /// For each stage, what it took in relation to what its size lets expect.
  private var factors: [CostStage: Double] = [:]
  /// For each host that archives came from, seconds for a byte.
  private var rates: [String: Double] = [:]

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
    for (key, values) in seconds { self.seconds[key] = Self.median(values) }
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
    self.seconds = seconds.compactMapValues { Self.median($0) }
    self.factors = factors.compactMapValues { Self.median($0) }
    self.rates = rates.compactMapValues { Self.median($0) }
  }

  /// Transfers of fewer bytes say more about the way there than about its rate; one that took no
  /// time at all fetched nothing, because the archives were there.
  private static let telling: Int64 = 100_000

  /// Seconds that a stage of a step will take; nil where that is not known.
  func seconds(of stage: CostStage, of step: PlannedUpdate) -> Double? {
    let version = step.toVersion ?? step.fromVersion ?? ""
    for version in [version, nil] {
      let key = Key(stage: stage, package: step.name, version: version)
      if let known = seconds[key] { return known }
    }
    return factors[stage].map { $0 * stage.assumedSeconds(for: step.installedSize) }
  }

  /// Seconds that the transfer of an archive will take; nil where its host's rate is not known.
  func seconds(ofTransfer archive: PlannedArchive) -> Double? {
    rates[archive.host].map { $0 * Double(archive.size) }
  }

  /// Seconds that a stage of the job as a whole will take.
  ///
  /// - Parameters:
  ///   - stage: One that is no package's.
  ///   - package: What is asked for first: triggers at the end depend on it.
  /// - Returns: Nil where that is not known.
  func seconds(of stage: CostStage, ofJobFor package: String) -> Double? {
    seconds[Key(stage: stage, package: package, version: nil)]
      ?? seconds[Key(stage: stage, package: "", version: nil)]
  }

  /// The middle of some numbers; nil for too few.
  private static func median(_ numbers: [Double]) -> Double? {
    guard numbers.count >= fewestSamples else { return nil }
    let sorted = numbers.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
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
