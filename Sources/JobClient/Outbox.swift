internal import JobWire
internal import Synchronization

/// The outgoing messages of a connection, in the order of their numbers.
///
/// A message can be removed until it is written. Of requests that the engine plans before it
/// replies, only a few are written at a time: the engine stops reading a connection with many
/// unanswered requests, and refuses lookups beyond a limit. An abort must not wait behind a
/// thousand submissions.
final class Outbox: Sendable {
  /// A kind of message.
  ///
  /// Messages of one kind are written in order.
  enum Lane: CaseIterable {
    case submissions
    case lookups
    case others

    init(_ request: any WireRequest) {
      self = request is SubmitRequest ? .submissions : request.kind == .lookup ? .lookups : .others
    }

    /// Largest number of messages that are written and not answered.
    ///
    /// The sum is below the number of requests of one connection that an engine works on (32). The
    /// limit of lookups is the number that an engine accepts from a view-only connection (4).
    var limit: Int {
      switch self {
      case .submissions: 16
      case .lookups: 4
      case .others: .max
      }
    }
  }

  private struct Queue {
    var messages: [Int: [UInt8]] = [:]
    /// Lower bound of the smallest waiting number.
    var next = 1
    var last = 0
    /// Numbers of messages that are written and not answered; used only in a lane with a limit.
    var unanswered: Set<Int> = []

    mutating func append(_ message: [UInt8], as number: Int) {
      if messages.isEmpty { next = number }
      messages[number] = message
      last = number
    }

    /// The smallest waiting number; nil if there is none.
    mutating func first() -> Int? {
      guard !messages.isEmpty else { return nil }
      while messages[next] == nil, next < last { next += 1 }
      return messages[next] == nil ? nil : next
    }
  }

  private struct State {
    var queues: [Lane: Queue] = [:]

    /// Removes and returns the message with the least number that may be written.
    mutating func removeNext() -> [UInt8]? {
      var least: (lane: Lane, number: Int)?
      for lane in Lane.allCases where queues[lane, default: Queue()].unanswered.count < lane.limit {
        guard let number = queues[lane, default: Queue()].first(), number < least?.number ?? .max
        else { continue }
        least = (lane, number)
      }
      guard let (lane, number) = least else { return nil }
      if lane.limit < .max { queues[lane, default: Queue()].unanswered.insert(number) }
      return queues[lane, default: Queue()].messages.removeValue(forKey: number)
    }
  }

  private let state = Mutex(State())
  /// Yields when a message can be written; finishes with ``finish()``.
  let wakeUps: AsyncStream<Void>
  private let wakeUpSource: AsyncStream<Void>.Continuation

  init() {
    (wakeUps, wakeUpSource) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { wakeUpSource.finish() }

  /// Adds a message.
  ///
  /// Its number must be greater than all earlier numbers.
  ///
  /// - Parameters:
  ///   - message: The message with its line feed.
  ///   - number: The request's number.
  ///   - lane: The kind of message.
  func append(_ message: [UInt8], as number: Int, in lane: Lane = .others) {
    state.withLock { $0.queues[lane, default: Queue()].append(message, as: number) }
    wakeUpSource.yield()
  }

  /// Removes and returns the next message to write; nil if none may be written now.
  func next() -> [UInt8]? { state.withLock { $0.removeNext() } }

  /// Marks a request as answered, so that the next message of its lane may be written.
  func markAnswered(to number: Int) {
    let isLimited = state.withLock { state in
      Lane.allCases.contains { state.queues[$0]?.unanswered.remove(number) != nil }
    }
    if isLimited { wakeUpSource.yield() }
  }

  /// Removes a message.
  ///
  /// - Returns: True if the message still waited. No byte of it was sent then.
  func remove(_ number: Int) -> Bool {
    state.withLock { state in
      Lane.allCases.contains { state.queues[$0]?.messages.removeValue(forKey: number) != nil }
    }
  }

  /// Drops all messages and finishes ``wakeUps``.
  func finish() {
    state.withLock { $0 = State() }
    wakeUpSource.finish()
  }
}
