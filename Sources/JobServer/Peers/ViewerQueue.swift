internal import HostSystem
internal import Synchronization

/// A queue that runs the long reads and writes of view-only users one at a time.
///
/// The work runs on a separate thread, so view-only users, however many, leave the shared threads
/// to users who may act. The origins are served round-robin, and the requests of each origin in
/// order.
final class ViewerQueue: Sendable {
  private struct State {
    var isTaken = false
    /// The origins with waiting requests, each once, in the order of service.
    var origins: [UInt32] = []
    var waiting: [UInt32: [CheckedContinuation<Void, Never>]] = [:]
  }

  private let state = Mutex(State())
  private let thread = WaitingThreads(limit: 1)

  /// Number of waiting requests.
  var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

  /// Runs `body` when it is the turn of `origin`.
  ///
  /// `body` must not wait for any action of a peer.
  func run<Value: Sendable>(
    of origin: UInt32, _ body: @escaping @Sendable () async -> Value
  ) async -> Value {
    await begin(origin)
    defer { end() }
    return await thread.run(body)
  }

  private func begin(_ origin: UInt32) async {
    await withCheckedContinuation { continuation in
      let begins = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        if state.waiting[origin] == nil { state.origins.append(origin) }
        state.waiting[origin, default: []].append(continuation)
        return false
      }
      if begins { continuation.resume() }
    }
  }

  private func end() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard !state.origins.isEmpty else {
        state.isTaken = false
        return nil
      }
      let origin = state.origins.removeFirst()
      let next = state.waiting[origin]?.removeFirst()
      if state.waiting[origin]?.isEmpty == false {
        state.origins.append(origin)
      } else {
        state.waiting[origin] = nil
      }
      return next
    }
    next?.resume()
  }
}
