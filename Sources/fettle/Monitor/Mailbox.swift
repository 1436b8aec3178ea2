import Monitor
import Synchronization

/// The queue of events for the monitor: several writers, one reader.
///
/// Events of the engine are bounded by back-pressure, since they can be read again; keys and
/// answers are always accepted.
final class Mailbox: Sendable {
  private struct State {
    var events: [MonitorEvent] = []
    // Sum of the events' weights: one message may carry many jobs.
    var weight = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// Total weight above which ``postWithBackpressure(_:)`` waits.
  private static let bound = 4096
  private let state = Mutex(State())
  private let wakeUpSink: AsyncStream<Void>.Continuation
  /// Yields once for any number of events posted since the reader last received an element.
  let wakeUps: AsyncStream<Void>

  init() {
    (wakeUps, wakeUpSink) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds an event.
  func post(_ event: MonitorEvent) {
    state.withLock { state in
      state.events.append(event)
      state.weight += event.weight
    }
    wakeUpSink.yield()
  }

  /// Adds an event and waits while the queue is over its bound.
  func postWithBackpressure(_ event: MonitorEvent) async {
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

  /// Wakes the reader without an event, to draw a frame that is due.
  func wakeUp() { wakeUpSink.yield() }

  /// Removes the keys, pastes and clicks in the queue.
  func removeInput() {
    state.withLock { state in
      state.events.removeAll(where: \.isInput)
      state.weight = state.events.reduce(0) { $0 + $1.weight }
    }
  }

  /// Removes and returns all events, and resumes the waiting writers.
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
  /// Number of jobs or job events in the event; 1 for the other kinds.
  fileprivate var weight: Int {
    switch self {
    case .ticks(let events): events.count
    case .snapshot(let jobs): jobs.count
    case .replay(.events(_, let events, _)): events.count
    default: 1
    }
  }
}
