/// Gives a target inputs and keeps what came of them.
package struct FuzzRun: Sendable {
  /// An input that broke a promise, made as small as was found.
  package struct Failure: Sendable, Hashable {
    /// Its index with the seed of the run.
    package var index: Int
    /// The smallest input that was found to break a promise.
    package var input: [UInt8]
    /// The promise.
    package var promise: BrokenPromise
  }

  /// What came of a run.
  package struct Result: Sendable {
    /// The target's name.
    package var target: String
    /// Inputs that were read.
    package var inputs = 0
    /// How long that took with the making of the inputs.
    package var time = Duration.zero
    /// The longest reading of one input, and the input's index.
    package var slowest = (time: Duration.zero, index: 0)
    /// The first few failures, each of another promise.
    package var failures: [Failure] = []
    /// Failures in all.
    package var failureCount = 0
  }

  private let seed: UInt64
  private let start: Int
  private let count: Int
  private let limit: Duration?

  /// A run over the inputs from index `start` on.
  ///
  /// - Parameters:
  ///   - seed: Chooses the inputs.
  ///   - start: The first input's index.
  ///   - count: How many inputs.
  ///   - limit: When to stop before that.
  package init(seed: UInt64, start: Int = 0, count: Int, limit: Duration? = nil) {
    self.seed = seed
    self.start = start
    self.count = count
    self.limit = limit
  }

  /// Runs a target.
  package func result(of target: some FuzzTarget) -> Result {
    var result = Result(target: type(of: target).name)
    let inputs = FuzzInputs(target)
    let clock = ContinuousClock()
    let begin = clock.now
    var last = begin
    for index in start..<start + count {
      let input = inputs.input(seed: seed, index: index)
      InputAtWork.begin(input, of: result.target, index: index)
      let before = clock.now
      do throws(BrokenPromise) {
        try target.check(input)
      } catch {
        note(error, input, index, target, &result)
      }
      last = clock.now
      result.inputs += 1
      if last - before > result.slowest.time { result.slowest = (last - before, index) }
      if let limit, last - begin > limit { break }
    }
    result.time = last - begin
    return result
  }

  private func note(
    _ promise: BrokenPromise, _ input: [UInt8], _ index: Int, _ target: some FuzzTarget,
    _ result: inout Result
  ) {
    result.failureCount += 1
    guard result.failures.count < 5,
      !result.failures.contains(where: { $0.promise.topic == promise.topic })
    else { return }
    let small = Shrinking.smallest(input) { candidate in
      do throws(BrokenPromise) {
        try target.check(candidate)
        return false
      } catch {
        return error.topic == promise.topic
      }
    }
    result.failures.append(Failure(index: index, input: small, promise: promise))
  }
}

extension BrokenPromise {
  /// What stands before the first colon: the same for all inputs that break the same promise.
  var topic: Substring { description.prefix { $0 != ":" } }
}
