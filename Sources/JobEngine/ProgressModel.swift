import InstallJobs

/// Turns phases and bytes into percentages that never fall (rows C3 to C5, P6).
///
/// Every step has costs in estimated seconds for its stages, and the job as a whole has some before
/// the first step and after the last one; a percentage is the share of cost that is done. A step
/// reaches 100 when dpkg says that it is installed, and keeps that although verification may find
/// otherwise and fail it; the job stays at 99 at most, because 100 belongs to verification.
struct ProgressModel: Sendable {
  /// The estimated cost of one step's stages, in seconds.
  struct Cost: Sendable {
    var download: Double
    var unpack: Double
    /// Configuring, or removing.
    var work: Double
    /// Whether unpacking and working were learned.
    var isLearned = true

    var total: Double { download + unpack + work }

    init(_ step: PlannedUpdate, archive: PlannedArchive?, learned: LearnedCosts) {
      let download = archive.map { archive in
        learned.seconds(ofTransfer: archive)
          ?? CostStage.download.assumedSeconds(for: archive.size)
      }
      self.download = download ?? 0
      (unpack, work) = (0, 0)
      let stages: [CostStage] =
        step.action.unpacks
        ? [.unpack, .configure] : [step.action == .configure ? .configure : .remove]
      for stage in stages {
        let known = learned.seconds(of: stage, of: step)
        let seconds = known ?? stage.assumedSeconds(for: step.installedSize)
        // A median of nothing would make a share of nothing.
        if stage == .unpack { unpack = max(0.001, seconds) } else { work = max(0.001, seconds) }
        isLearned = isLearned && known != nil
      }
    }
  }

  private let costs: [Cost]
  private let total: Double
  private let sizes: [Int64]
  private var done: [Double]
  private var doneTotal = 0.0
  private(set) var downloaded: [Int64]
  private(set) var downloadedTotal: Int64 = 0
  /// Bytes that are still to be fetched.
  private(set) var remainingBytes: Int64
  /// Estimated seconds before the first package; 0 where that was never learned.
  let opening: Double
  /// Estimated seconds after the last package; 0 where that was never learned.
  let closing: Double
  private var openingDone = 0.0
  // Sums of the steps that are not over: an estimate must not cost a look at every step.
  /// Estimated seconds of unpacking and work that are left.
  private(set) var installLeft: Double
  /// How many steps that are not over have costs that were not learned.
  private(set) var unlearnedLeft: Int
  private var over: [Bool]
  private var firstOpen = 0

  init(_ plan: JobPlan, learned: LearnedCosts = LearnedCosts()) {
    costs = plan.steps.enumerated().map {
      Cost($1, archive: plan.archives[$0], learned: learned)
    }
    sizes = plan.steps.indices.map { max(0, plan.archives[$0]?.size ?? 0) }
    remainingBytes = sizes.total
    let name = plan.requests.first?.update.name ?? ""
    let before: [CostStage] = plan.archives.isEmpty ? [.prepare] : [.connect, .prepare]
    opening = before.reduce(0) { $0 + (learned.seconds(of: $1, ofJobFor: name) ?? 0) }
    closing = learned.seconds(of: .conclude, ofJobFor: name) ?? 0
    total = costs.reduce(opening + closing) { $0 + $1.total }
    done = Array(repeating: 0, count: costs.count)
    downloaded = Array(repeating: 0, count: costs.count)
    installLeft = costs.reduce(0) { $0 + $1.unpack + $1.work }
    unlearnedLeft = costs.count { !$0.isLearned }
    over = Array(repeating: false, count: costs.count)
  }

  /// The estimated cost of a step.
  func cost(of step: Int) -> Cost { costs[step] }

  /// Share of a step that is done, 0...100.
  func percent(of step: Int) -> Double {
    guard costs[step].total > 0 else { return 0 }
    // In floating point x / x * 100 is not always 100.
    return done[step] < costs[step].total ? min(100, 100 * done[step] / costs[step].total) : 100
  }

  /// Share of the job that is done, 0...99.
  var percent: Double { total > 0 ? min(99, 99 * (doneTotal + openingDone) / total) : 0 }

  /// Estimated seconds of one step's unpacking and work that are left; 0 when it is over.
  func installLeft(of step: Int) -> Double {
    let cost = costs[step]
    return over[step] ? 0 : max(0, min(cost.unpack + cost.work, cost.total - done[step]))
  }

  /// The steps up to one that are not over, and some that are.
  func open(upTo step: Int) -> Range<Int> { min(firstOpen, step + 1)..<step + 1 }

  mutating func enter(_ phase: UpdatePhase, step: Int) {
    let cost = costs[step]
    if phase > .downloaded { openingDone = opening }
    switch phase {
    case .pending, .downloading: break
    case .downloaded:
      downloaded(sizes[step], step: step)
      raise(step, to: cost.download)
    case .unpacking, .removing: raise(step, to: cost.download)
    case .unpacked, .configuring: raise(step, to: cost.download + cost.unpack)
    case .triggers: raise(step, to: cost.total * 0.95)
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
      raise(step, to: cost.download + cost.unpack + cost.work * fraction * 0.95)
    case .pending, .downloading, .downloaded, .unpacked, .triggers, .done: break
    }
  }

  private mutating func raise(_ step: Int, to cost: Double) {
    guard cost > done[step] else { return }
    let before = installLeft(of: step)
    doneTotal += cost - done[step]
    done[step] = cost
    installLeft = max(0, installLeft - (before - installLeft(of: step)))
  }
}
