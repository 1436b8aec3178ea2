import JobScreen
import Synchronization

/// What waits to be taken in by the monitor: several writers, one reader, bounded for the engine's
/// events, which can be read again; keys and answers always get in.
final class Mailbox: Sendable {
  private struct State {
    var events: [MonitorEvent] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// The most events that wait before the engine's are held back.
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
    state.withLock { $0.events.append(event) }
    bell.yield()
  }

  /// Puts an event in and waits while too many are there.
  func postPatiently(_ event: MonitorEvent) async {
    post(event)
    await withCheckedContinuation { continuation in
      let isFull = state.withLock { state in
        guard state.events.count > Self.bound else { return false }
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
    state.withLock { $0.events.removeAll(where: \.isInput) }
  }

  /// Takes everything out.
  func takeAll() -> [MonitorEvent] {
    let (events, waiting) = state.withLock { state in
      defer { state = State() }
      return (state.events, state.waiting)
    }
    for continuation in waiting { continuation.resume() }
    return events
  }
}

extension MonitorEvent {
  /// Whether it is a sign of life of the engine.
  var isHeard: Bool {
    switch self {
    case .snapshotBegin, .snapshot, .snapshotEnd, .event, .ticks, .plan, .logChunk, .planned,
      .refused,
      .submitted, .upgradable, .abortAnswer, .engine:
      true
    case .key, .paste, .mouse, .resize, .line, .failed, .unread, .link, .readOnly, .notice,
      .clock, .tick:
      false
    }
  }

  /// Whether it was typed, pasted or clicked.
  var isInput: Bool {
    switch self {
    case .key, .paste, .mouse: true
    // The end of the input is no answer to anything and must not be lost.
    case .line(let line): line != nil
    default: false
    }
  }
}
