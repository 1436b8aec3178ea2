import InstallJobs

/// Turns phases and bytes into percentages that never fall (rows C3 to C5, P6).
///
/// Every step has costs in estimated seconds for its stages; a percentage is the share of cost that
/// is done. A step reaches 100 when dpkg says that it is installed, and keeps that although
/// verification may find otherwise and fail it; the job stays at 99 at most, because 100 belongs
/// to verification.
struct ProgressModel: Sendable {
  /// The estimated cost of one step's stages, in seconds.
  struct Cost: Sendable {
    var download: Double
    var unpack: Double
    var work: Double

    var total: Double { download + unpack + work }

    init(_ step: PlannedUpdate, archive: PlannedArchive?) {
      let megabyte = 1_048_576.0
      download = archive.map { 0.05 + Double($0.size) / (5 * megabyte) } ?? 0
      unpack = step.action.unpacks ? 0.1 + Double(step.installedSize) / (80 * megabyte) : 0
      work = 0.15
    }
  }

  private let costs: [Cost]
  private let total: Double
  private let sizes: [Int64]
  private var done: [Double]
  private var doneTotal = 0.0
  private(set) var downloaded: [Int64]
  private(set) var downloadedTotal: Int64 = 0

  init(_ plan: JobPlan) {
    costs = plan.steps.enumerated().map { Cost($1, archive: plan.archives[$0]) }
    sizes = plan.steps.indices.map { plan.archives[$0]?.size ?? 0 }
    total = costs.reduce(0) { $0 + $1.total }
    done = Array(repeating: 0, count: costs.count)
    downloaded = Array(repeating: 0, count: costs.count)
  }

  /// Share of a step that is done, 0...100.
  func percent(of step: Int) -> Double {
    guard costs[step].total > 0 else { return 0 }
    // In floating point x / x * 100 is not always 100.
    return done[step] < costs[step].total ? min(100, 100 * done[step] / costs[step].total) : 100
  }

  /// Share of the job that is done, 0...99.
  var percent: Double { total > 0 ? min(99, 99 * doneTotal / total) : 0 }

  /// Estimated seconds of work that are left, in the model's own measure.
  var remainingCost: Double { max(0, total - doneTotal) }

  /// Estimated seconds of work on one step that are left, in the model's own measure.
  func remainingCost(of step: Int) -> Double { max(0, costs[step].total - done[step]) }

  /// Estimated seconds of work that are done, in the model's own measure.
  var doneCost: Double { doneTotal }

  mutating func enter(_ phase: UpdatePhase, step: Int) {
    let cost = costs[step]
    switch phase {
    case .pending, .downloading: break
    case .downloaded:
      downloaded(sizes[step], step: step)
      raise(step, to: cost.download)
    case .unpacking, .removing: raise(step, to: cost.download)
    case .unpacked, .configuring: raise(step, to: cost.download + cost.unpack)
    case .triggers: raise(step, to: cost.total * 0.95)
    case .done: raise(step, to: cost.total)
    }
  }

  mutating func downloaded(_ bytes: Int64, step: Int) {
    let bytes = min(max(bytes, downloaded[step]), sizes[step])
    downloadedTotal += bytes - downloaded[step]
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
    doneTotal += cost - done[step]
    done[step] = cost
  }
}
