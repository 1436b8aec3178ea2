import JobScreen
import Synchronization

/// What waits to be taken in by the monitor: several writers, one reader, bounded for the engine's
/// events, which can be read again; keys and answers always get in.
final class Mailbox: Sendable {
  private struct State {
    var events: [MonitorEvent] = []
    // What the engine tells in them: a message may tell of many jobs.
    var weight = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// How many things told may wait before the engine is held back.
  private static let bound = 4096
  private let state = Mutex(State())
  private let bell: AsyncStream<Void>.Continuation
  /// Rings once for any number of events that came since it was last heard.
  let rings: AsyncStream<Void>

  init() {
    (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Puts an event in.
  func post(_ event: MonitorEvent) {
    state.withLock { state in
      state.events.append(event)
      state.weight += event.weight
    }
    bell.yield()
  }

  /// Puts an event in and waits while too many are there.
  func postPatiently(_ event: MonitorEvent) async {
    post(event)
    await withCheckedContinuation { continuation in
      let isFull = state.withLock { state in
        guard state.weight > Self.bound else { return false }
        state.waiting.append(continuation)
        return true
      }
      if !isFull { continuation.resume() }
    }
  }

  /// Rings without an event: a frame is due.
  func ring() { bell.yield() }

  /// Takes back what was typed, pasted or clicked.
  func removeInput() {
    state.withLock { state in
      state.events.removeAll(where: \.isInput)
      state.weight = state.events.reduce(0) { $0 + $1.weight }
    }
  }

  /// Takes everything out.
  func removeAll() -> [MonitorEvent] {
    let (events, waiting) = state.withLock { state in
      defer { state = State() }
      return (state.events, state.waiting)
    }
    for continuation in waiting { continuation.resume() }
    return events
  }
}

extension MonitorEvent {
  /// How many things it tells.
  fileprivate var weight: Int {
    switch self {
    case .ticks(let events): events.count
    case .snapshot(let jobs): jobs.count
    case .replay(.events(_, let events, _)): events.count
    default: 1
    }
  }
}
