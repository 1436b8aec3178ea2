internal import HostSystem
internal import Synchronization

/// The turns in which those who may only look are served with what takes long to read and to write.
///
/// One of them has his turn at a time, on a thread of its own, so that the threads that everybody needs
/// are free for those who may act, however many look. The origins are served one after the other, and
/// the requests of each in their order.
final class LookTurns: Sendable {
  private struct State {
    var isTaken = false
    /// The origins of those who wait, each once, in the order of their turns.
    var origins: [UInt32] = []
    var waiting: [UInt32: [CheckedContinuation<Void, Never>]] = [:]
  }

  private let state = Mutex(State())
  private let thread = WaitingThreads(limit: 1)

  /// How many wait for their turn.
  var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

  /// Runs a function when the turn of its origin has come; it must wait for nothing that a peer does.
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
