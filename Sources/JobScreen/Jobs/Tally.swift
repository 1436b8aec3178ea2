import InstallJobs

/// Sums over all jobs that are not cleaned up, kept by adding and taking away.
struct Tally: Sendable, Hashable {
  private var counts = Array(repeating: 0, count: JobMark.allCases.count)
  /// Jobs in the sums.
  private(set) var jobs = 0
  /// Jobs that are over.
  private(set) var over = 0
  /// Packages of all plans.
  private(set) var packages = 0
  // Thousandths of a per cent times packages: whole numbers, so that adding and taking away leaves
  // nothing behind.
  private var done = 0
  private(set) var bytesPerSecond = 0

  subscript(mark: JobMark) -> Int { counts[mark.rawValue] }

  /// The share of all planned work that is over, 0...1: done, or not to be done any more.
  ///
  /// It says of the work what ``over`` says of the jobs: both are whole together.
  var fraction: Double {
    packages == 0 ? 0 : Double(done) / (Double(packages) * 100_000)
  }

  /// These sums and those of other jobs.
  func adding(_ other: Tally) -> Tally {
    var sum = self
    for index in counts.indices { sum.counts[index] += other.counts[index] }
    sum.jobs += other.jobs
    sum.over += other.over
    sum.packages += other.packages
    sum.done += other.done
    sum.bytesPerSecond += other.bytesPerSecond
    return sum
  }

  mutating func add(_ share: Share) { count(share, 1) }
  mutating func remove(_ share: Share) { count(share, -1) }

  private mutating func count(_ share: Share, _ sign: Int) {
    counts[share.mark.rawValue] += sign
    jobs += sign
    over += share.isOver ? sign : 0
    packages += sign * share.packages
    done += sign * share.packages * share.done
    bytesPerSecond += sign * share.bytesPerSecond
  }
}

extension Tally {
  /// What one job adds to the sums.
  struct Share: Sendable, Hashable {
    let mark: JobMark
    let isOver: Bool
    let packages: Int
    /// Thousandths of a per cent; all of a job that is over, however it ended.
    let done: Int
    let bytesPerSecond: Int

    /// Nil for a job that is cleaned up: it is not counted.
    init?(_ entry: JobStore.Entry) {
      guard !entry.job.isCleanedUp else { return nil }
      mark = entry.mark
      isOver = entry.job.state.isFinal
      packages = min(max(1, entry.job.planCount), 1_000_000)
      let percent = isOver ? 100 : entry.job.percentComplete.bounded(to: 0...100)
      done = Int((percent * 1000).rounded(.down))
      bytesPerSecond = Int((entry.job.bytesPerSecond ?? 0).bounded(to: 0...1e12))
    }
  }
}

extension Double {
  /// The value held inside `range`; its lower end for what is not a number.
  func bounded(to range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
