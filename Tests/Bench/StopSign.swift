internal import Synchronization

/// Tells what blocks on a thread of its own that nobody wants its result any more.
final class StopSign: Sendable {
  private let raised = Atomic(false)

  init() {}

  /// Whether to stop as soon as possible.
  var isRaised: Bool { raised.load(ordering: .relaxed) }

  /// Asks to stop; for good.
  func raise() { raised.store(true, ordering: .relaxed) }
}
