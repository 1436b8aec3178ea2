internal import InstallJobs
internal import Synchronization

/// The plans that were made last, each with the state of the machine it was made for.
///
/// A request is often planned twice, first to be looked at and then to be submitted; while no file
/// has moved that apt goes by, the second plan is the first one.
final class PlanMemory: Sendable {
  private struct Entry: Sendable {
    var request: JobRequest
    var state: RootState
    var plan: JobPlan
  }

  /// How many plans are kept.
  static let capacity = 16

  private let entries = Mutex<[Entry]>([])

  /// The plan made for a request on a machine that was in this very state.
  func plan(for request: JobRequest, in state: RootState) -> JobPlan? {
    entries.withLock { entries in
      entries.first { $0.request == request && $0.state == state }?.plan
    }
  }

  /// Keeps a plan; the oldest one is forgotten.
  func keep(_ plan: JobPlan, for request: JobRequest, in state: RootState) {
    entries.withLock { entries in
      entries.removeAll { $0.request == request || $0.state != state }
      entries.append(Entry(request: request, state: state, plan: plan))
      if entries.count > Self.capacity { entries.removeFirst() }
    }
  }
}
