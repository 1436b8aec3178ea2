import InstallJobs
import JobText

/// Sums over all jobs that are not cleaned up, updated with each change of a job.
struct Tally: Sendable, Hashable {
  private var counts = Array(repeating: 0, count: JobMark.allCases.count)
  /// Number of jobs.
  private(set) var jobs = 0
  /// Number of ended jobs.
  private(set) var over = 0
  /// Number of packages in all plans.
  private(set) var packages = 0
  // Sum of packages times progress, in thousandths of a per cent. Integers have no rounding error
  // when jobs are added and removed.
  private var done = 0
  private(set) var bytesPerSecond = 0

  subscript(mark: JobMark) -> Int { counts[mark.rawValue] }

  /// The share of all planned work that is over, 0...1: done, or not to be done any more.
  ///
  /// An ended job counts in full, with any result, so that the share is 1 once all jobs have ended.
  var fraction: Double {
    packages == 0 ? 0 : Double(done) / (Double(packages) * 100_000)
  }

  /// The sums of both tallies.
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
  /// A job's share of the sums.
  struct Share: Sendable, Hashable {
    let mark: JobMark
    let isOver: Bool
    let packages: Int
    /// Progress in thousandths of a per cent, 0...100000; 100000 for an ended job with any result.
    let done: Int
    let bytesPerSecond: Int

    /// The share of a job; nil for a cleaned-up job, which is not counted.
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
