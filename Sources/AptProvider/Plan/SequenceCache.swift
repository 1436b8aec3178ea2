package import InstallJobs
internal import Synchronization

/// The order of work that apt printed for a plan, and the condition under which it is valid.
package struct ForeseenSequence: Sendable, Hashable {
  /// The output of `apt-get -s`.
  package var printed: String
  /// The required fingerprint of the files that determine apt's behaviour; nil where they may
  /// change.
  package var state: String?

  /// Creates the sequence printed for a plan.
  ///
  /// The simulation reports broken dependencies for the packages present when it ran. A plan that
  /// only adds new packages cannot break present ones, so its sequence stays valid when the files
  /// change.
  init(printed: String, plan: JobPlan, state: RootState) {
    self.printed = printed
    let onlyBringsNew = plan.steps.allSatisfy { $0.action == .install }
    // With local archives apt may fetch during the installation, and must do so only with the index
    // that the plan used.
    let hasOwnArchives = plan.requests.contains { $0.update.archive != nil }
    self.state = onlyBringsNew && !hasOwnArchives ? nil : state.fingerprint
  }
}

/// A cache of the sequences of recent plans, so that a job needs no second simulation of its plan.
///
/// Limited in number and size: the oldest sequences are dropped. The cache lives in memory only.
package final class SequenceCache: Sendable {
  private struct Entry: Sendable {
    /// The plan's hash value.
    ///
    /// Large plans are not stored for this purpose, and the worker compares plan and sequence
    /// before it uses them.
    var plan: Int
    var sequence: ForeseenSequence
  }

  /// Maximum number of sequences.
  static let capacity = 64
  /// Maximum number of bytes of all sequences together; a package takes about 150 bytes.
  static let most = 2 << 20

  private let entries = Mutex<[Entry]>([])

  package init() {}

  /// Returns the sequence printed for a plan; nil when it is not in the cache.
  package func sequence(of plan: JobPlan) -> ForeseenSequence? {
    let key = plan.hashValue
    return entries.withLock { entries in entries.first { $0.plan == key }?.sequence }
  }

  /// Stores the simulation's output for a plan, made on a root in this state.
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
