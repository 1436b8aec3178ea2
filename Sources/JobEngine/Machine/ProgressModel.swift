import InstallJobs

/// Turns phases and bytes into percentages that never fall (rows C3 to C5, P6).
///
/// Every step has costs in estimated seconds for its stages, and the job as a whole has some before
/// the first step and after the last one; a percentage is the share of cost that is done. A step
/// reaches 100 when dpkg says that it is installed, and keeps that although verification may find
/// otherwise and fail it; the job stays at 99 at most, because 100 belongs to verification.
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
  /// Estimated seconds before the first byte of an archive, then before the first package; 0 where
  /// that was never learned.
  let connect: Double
  let prepare: Double
  /// What comes after the last package; nil where that was never learned.
  let concluding: LearnedCost?
  /// How far the transfer of all archives may be off; nil where the rate of a host is not known.
  let transferDeviation: Double?
  private var openingDone = 0.0
  private var closingDone = 0.0
  // Sums of the steps that are not over: an estimate must not cost a look at every step.
  /// Estimated seconds of unpacking and work that are left.
  private(set) var installLeft: Double
  /// How many steps that are not over have costs that were not learned.
  private(set) var unlearnedLeft: Int
  /// The squares of the deviations of what is left.
  private(set) var squaresLeft: Double
  private var over: [Bool]
  private var overCount = 0
  /// The steps of which only triggers are left.
  private var triggering: Set<Int> = []
  private var firstOpen = 0

  /// - Parameters:
  ///   - plan: What is carried out.
  ///   - learned: What its stages cost on this machine.
  ///   - isDownloadOnly: Whether only archives are fetched: then bytes alone count (row W10).
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
    // In floating point x / x * 100 is not always 100.
    return done[step] < costs[step].total ? min(100, 100 * done[step] / costs[step].total) : 100
  }

  /// Share of the job that is done, 0...99.
  var percent: Double {
    total > 0 ? min(99, 99 * (doneTotal + openingDone + closingDone) / total) : 0
  }

  /// Estimated seconds before the first package that are left.
  var openingLeft: Double { max(0, connect + prepare - openingDone) }

  /// Whether nothing is left of any package but triggers.
  var isConcluding: Bool { overCount + triggering.count == costs.count }

  /// Estimated seconds of one step's unpacking and work that are left; 0 when it is over.
  func installLeft(of step: Int) -> Double {
    let cost = costs[step]
    return over[step] ? 0 : max(0, min(cost.unpack + cost.work, cost.total - done[step]))
  }

  /// The steps up to one that are not over, and some that are.
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

  /// Notes that nothing more is done for a step: it is done, or has failed.
  mutating func close(_ step: Int) {
    guard !over[step] else { return }
    installLeft = max(0, installLeft - installLeft(of: step))
    if !costs[step].isLearned { unlearnedLeft -= 1 }
    over[step] = true
    overCount += 1
    triggering.remove(step)
    squaresLeft = max(0, squaresLeft - costs[step].squares)
    while firstOpen < over.count, over[firstOpen] { firstOpen += 1 }
    // Nothing of a sum's rounding is left.
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

  /// Notes the measured share of a step's present phase, 0...1; clamped.
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

  /// The greatest share of a stage that goes by without a word of its end.
  static let limit = 0.95

  /// Notes that the first bytes of an archive came, or that none is fetched any more.
  mutating func noteConnected() { openingDone = max(openingDone, connect) }

  /// Notes that a stage has gone on for a share of its learned time; it is over only when that is
  /// told.
  ///
  /// - Parameters:
  ///   - share: From 0 on; clamped.
  ///   - stage: The stage.
  ///   - step: Whose stage it is; nil for one of the job as a whole.
  /// - Returns: Whether anything moved.
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
