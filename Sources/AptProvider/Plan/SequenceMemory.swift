package import InstallJobs
internal import Synchronization

/// The order of work that apt printed when it planned, and when that can be gone by.
package struct ForeseenSequence: Sendable, Hashable {
  /// What `apt-get -s` printed.
  package var printed: String
  /// What the files that decide about apt's doings must be known by; nil where they may have changed.
  package var state: String?

  /// A sequence that was printed for a plan.
  ///
  /// What the simulation says about dependencies broken in between holds for the packages there were
  /// then. Where the plan only brings packages that are new, others cannot be broken by it.
  init(printed: String, plan: JobPlan, state: RootState) {
    self.printed = printed
    let onlyBringsNew = plan.steps.allSatisfy { $0.action == .install }
    // With archives of somebody's own apt may fetch, and must not by an index that nobody planned with.
    let hasOwnArchives = plan.requests.contains { $0.update.archive != nil }
    self.state = onlyBringsNew && !hasOwnArchives ? nil : state.fingerprint
  }
}

/// The sequences of the plans that were made last, so that a job need not have apt simulate its plan
/// once more.
///
/// Bounded in number and size; the oldest ones are forgotten, and so are all with the process.
package final class SequenceMemory: Sendable {
  private struct Entry: Sendable {
    /// The plan by its hash: large plans are not kept for this, and the worker compares plan and
    /// sequence before it goes by them.
    var plan: Int
    var sequence: ForeseenSequence
  }

  /// How many sequences are kept.
  static let capacity = 64
  /// How many bytes they have together; a package takes about 150.
  static let most = 2 << 20

  private let entries = Mutex<[Entry]>([])

  package init() {}

  /// The sequence that was printed for a plan; nil when it was forgotten.
  package func sequence(of plan: JobPlan) -> ForeseenSequence? {
    let key = plan.hashValue
    return entries.withLock { entries in entries.first { $0.plan == key }?.sequence }
  }

  /// Keeps what was printed for a plan, made on a machine in this state.
  func keep(_ printed: String, of plan: JobPlan, in state: RootState) {
    guard printed.utf8.count <= Self.most else { return }
    let key = plan.hashValue
    let sequence = ForeseenSequence(printed: printed, plan: plan, state: state)
    entries.withLock { entries in
      entries.removeAll { $0.plan == key }
      entries.append(Entry(plan: key, sequence: sequence))
      var bytes = entries.reduce(0) { $0 + $1.sequence.printed.utf8.count }
      while entries.count > Self.capacity || bytes > Self.most {
        bytes -= entries.removeFirst().sequence.printed.utf8.count
      }
    }
  }
}
