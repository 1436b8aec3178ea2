internal import InstallJobs
internal import Synchronization

/// A cache of recent plans, each with the state of the package root for which it was made.
///
/// A request is often planned twice: first for display, then for submission. While no file that apt
/// reads has changed, the second plan equals the first.
final class PlanCache: Sendable {
  private struct Entry: Sendable {
    var request: JobRequest
    var state: RootState
    var plan: JobPlan
  }

  /// Maximum number of plans.
  static let capacity = 16

  private let entries = Mutex<[Entry]>([])

  /// Returns the plan for a request on a root in exactly this state; nil when there is none.
  func plan(for request: JobRequest, in state: RootState) -> JobPlan? {
    entries.withLock { entries in
      entries.first { $0.request == request && $0.state == state }?.plan
    }
  }

  /// Stores a plan; when the cache is full, the oldest plan is dropped.
  func keep(_ plan: JobPlan, for request: JobRequest, in state: RootState) {
    entries.withLock { entries in
      entries.removeAll { $0.request == request || $0.state != state }
      entries.append(Entry(request: request, state: state, plan: plan))
      if entries.count > Self.capacity { entries.removeFirst() }
    }
  }
}
