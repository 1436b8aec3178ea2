import InstallJobs

/// Computes percentages that never fall from phases and bytes (rows C3 to C5, P6).
///
/// Every step has costs in estimated seconds for its stages, and the job as a whole has costs
/// before the first step and after the last one; a percentage is the share of cost that is done. A
/// step reaches 100 when dpkg reports it as installed, and keeps 100 even if the verification fails
/// it. The job stays at 99 at most: only the verification sets 100.
struct ProgressModel: Sendable {
  private let costs: [StepCost]
  private let total: Double
  private let sizes: [Int64]
  private var done: [Double]
  private var doneTotal = 0.0
  private(set) var downloaded: [Int64]
  private(set) var downloadedTotal: Int64 = 0
  /// Bytes that are still to be fetched.
  private(set) var remainingBytes: Int64
  /// Estimated seconds before the first byte of an archive, and from there to the first package; 0
  /// when not learned.
  let connect: Double
  let prepare: Double
  /// The cost after the last package; nil when not learned.
  let concluding: LearnedCost?
  /// The possible error of the transfer time of all archives, in seconds; nil when a host's rate is
  /// unknown.
  let transferDeviation: Double?
  private var openingDone = 0.0
  private var closingDone = 0.0
  // Sums over the steps that are not over, so that an estimate does not visit every step.
  /// Estimated seconds of unpacking and work that remain.
  private(set) var installLeft: Double
  /// Number of remaining steps whose costs were not learned.
  private(set) var unlearnedLeft: Int
  /// Sum of the squared deviations of the remaining steps.
  private(set) var squaresLeft: Double
  private var over: [Bool]
  private var overCount = 0
  /// The steps that wait only for triggers.
  private var triggering: Set<Int> = []
  private var firstOpen = 0

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - plan: The job's plan.
  ///   - learned: The costs learned on this machine.
  ///   - isDownloadOnly: Whether only archives are fetched: then only bytes count (row W10).
  init(_ plan: JobPlan, learned: LearnedCosts = LearnedCosts(), isDownloadOnly: Bool = false) {
    costs = plan.steps.enumerated().map {
      isDownloadOnly
        ? StepCost(fetching: plan.archives[$0])
        : StepCost($1, archive: plan.archives[$0], learned: learned)
    }
    sizes = plan.steps.indices.map { max(0, plan.archives[$0]?.size ?? 0) }
    remainingBytes = sizes.total
    let name = plan.requests.first?.update.name ?? ""
    let learned = isDownloadOnly ? LearnedCosts() : learned
    let way = plan.archives.isEmpty ? nil : learned.cost(of: .connect, ofJobFor: name)
    connect = way?.seconds ?? 0
    prepare = learned.cost(of: .prepare, ofJobFor: name)?.seconds ?? 0
    concluding = learned.cost(of: .conclude, ofJobFor: name)
    var deviation: Double? = 0
    for archive in plan.archives.values {
      let cost = learned.cost(ofTransfer: archive)
      deviation = deviation.flatMap { sum in cost.map { sum + $0.deviation } }
    }
    transferDeviation = deviation
    total = costs.reduce(connect + prepare + (concluding?.seconds ?? 0)) { $0 + $1.total }
    done = Array(repeating: 0, count: costs.count)
    downloaded = Array(repeating: 0, count: costs.count)
    installLeft = costs.reduce(0) { $0 + $1.unpack + $1.work }
    unlearnedLeft = costs.count { !$0.isLearned }
    squaresLeft = costs.reduce(0) { $0 + $1.squares }
    over = Array(repeating: false, count: costs.count)
  }

  /// The estimated cost of a step.
  func cost(of step: Int) -> StepCost { costs[step] }

  /// Share of a step that is done, 0...100.
  func percent(of step: Int) -> Double {
    guard costs[step].total > 0 else { return 0 }
    // In floating point, x / x * 100 is not always 100.
    return done[step] < costs[step].total ? min(100, 100 * done[step] / costs[step].total) : 100
  }

  /// Share of the job that is done, 0...99.
  var percent: Double {
    total > 0 ? min(99, 99 * (doneTotal + openingDone + closingDone) / total) : 0
  }

  /// Estimated seconds that remain before the first package.
  var openingLeft: Double { max(0, connect + prepare - openingDone) }

  /// Whether every step is over or waits only for triggers.
  var isConcluding: Bool { overCount + triggering.count == costs.count }

  /// Estimated seconds of a step's unpacking and work that remain; 0 when the step is over.
  func installLeft(of step: Int) -> Double {
    let cost = costs[step]
    return over[step] ? 0 : max(0, min(cost.unpack + cost.work, cost.total - done[step]))
  }

  /// A range that ends with `step` and contains all steps up to it that are not over; it may
  /// contain steps that are over.
  func open(upTo step: Int) -> Range<Int> { min(firstOpen, step + 1)..<step + 1 }

  mutating func enter(_ phase: UpdatePhase, step: Int) {
    let cost = costs[step]
    if phase > .downloaded { openingDone = connect + prepare }
    switch phase {
    case .pending, .downloading: break
    case .downloaded:
      downloaded(sizes[step], step: step)
      raise(step, to: cost.download)
    case .unpacking, .removing: raise(step, to: cost.download)
    case .unpacked, .configuring: raise(step, to: cost.download + cost.unpack)
    case .triggers:
      raise(step, to: cost.total * Self.limit)
      if !over[step] { triggering.insert(step) }
    case .done:
      raise(step, to: cost.total)
      close(step)
    }
  }

  /// Marks a step as over: it is done or has failed.
  mutating func close(_ step: Int) {
    guard !over[step] else { return }
    installLeft = max(0, installLeft - installLeft(of: step))
    if !costs[step].isLearned { unlearnedLeft -= 1 }
    over[step] = true
    overCount += 1
    triggering.remove(step)
    squaresLeft = max(0, squaresLeft - costs[step].squares)
    while firstOpen < over.count, over[firstOpen] { firstOpen += 1 }
    // Removes the rounding error of the sum.
    if firstOpen == over.count { installLeft = 0 }
  }

  mutating func downloaded(_ bytes: Int64, step: Int) {
    let bytes = min(max(bytes, downloaded[step]), sizes[step])
    let new = bytes - downloaded[step]
    downloadedTotal = [downloadedTotal, new].total
    remainingBytes = max(0, remainingBytes - new)
    downloaded[step] = bytes
    guard sizes[step] > 0 else { return }
    raise(step, to: costs[step].download * Double(bytes) / Double(sizes[step]))
  }

  /// Applies the measured share of a step's present phase, 0...1; clamped.
  mutating func measured(_ fraction: Double, phase: UpdatePhase, step: Int) {
    let fraction = min(1, max(0, fraction))
    let cost = costs[step]
    switch phase {
    case .unpacking: raise(step, to: cost.download + cost.unpack * fraction)
    case .configuring, .removing:
      raise(step, to: cost.download + cost.unpack + cost.work * fraction * Self.limit)
    case .pending, .downloading, .downloaded, .unpacked, .triggers, .done: break
    }
  }

  /// Maximum share of a stage that is shown as done before the end of the stage is reported.
  static let limit = 0.95

  /// Marks the connection as made: bytes of an archive have arrived, or no archive is fetched any
  /// more.
  mutating func noteConnected() { openingDone = max(openingDone, connect) }

  /// Advances a stage to a share of its learned time; the stage is over only when its end is
  /// reported.
  ///
  /// - Parameters:
  ///   - share: The share, from 0; clamped.
  ///   - stage: The stage.
  ///   - step: The step of the stage; nil for a stage of the job as a whole.
  /// - Returns: Whether any progress changed.
  mutating func lapse(_ share: Double, of stage: CostStage, step: Int?) -> Bool {
    let share = min(Self.limit, max(0, share))
    let before = (doneTotal, openingDone, closingDone)
    switch (stage, step) {
    case (.unpack, let step?): raise(step, to: costs[step].download + costs[step].unpack * share)
    case (.configure, let step?), (.remove, let step?):
      let cost = costs[step]
      raise(step, to: cost.download + cost.unpack + cost.work * share)
    case (.connect, _): openingDone = max(openingDone, connect * share)
    case (.prepare, _): openingDone = max(openingDone, connect + prepare * share)
    case (.conclude, _): closingDone = max(closingDone, (concluding?.seconds ?? 0) * share)
    case (.download, _), (_, nil): break
    }
    return before != (doneTotal, openingDone, closingDone)
  }

  private mutating func raise(_ step: Int, to cost: Double) {
    guard cost > done[step] else { return }
    let before = installLeft(of: step)
    doneTotal += cost - done[step]
    done[step] = cost
    installLeft = max(0, installLeft - (before - installLeft(of: step)))
  }
}
