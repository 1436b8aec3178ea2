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

  /// The share of all planned work that is done, 0...1; less than 1 where a job did not succeed.
  var fraction: Double {
    packages == 0 ? 0 : Double(done) / (Double(packages) * 100_000)
  }

  mutating func add(_ entry: JobBook.Entry) { count(entry, 1) }
  mutating func remove(_ entry: JobBook.Entry) { count(entry, -1) }

  private mutating func count(_ entry: JobBook.Entry, _ sign: Int) {
    let job = entry.job
    guard !job.isCleanedUp else { return }
    counts[entry.mark.rawValue] += sign
    jobs += sign
    over += job.state.isFinal ? sign : 0
    let weight = min(max(1, job.planCount), 1_000_000)
    packages += sign * weight
    done += sign * weight * Int((job.percentComplete.bounded(to: 0...100) * 1000).rounded(.down))
    bytesPerSecond += sign * Int((job.bytesPerSecond ?? 0).bounded(to: 0...1e15))
  }
}

extension Double {
  /// The value held inside `range`; its lower end for what is not a number.
  func bounded(to range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
