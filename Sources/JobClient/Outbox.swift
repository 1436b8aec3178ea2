internal import JobWire
internal import Synchronization

/// Messages of a connection that wait to be written, in the order of their numbers.
///
/// A peer that does not read holds them up; until a message is written it can be taken out again.
/// Of requests that the engine plans before it answers, only some are written at a time: it reads
/// nothing more of a connection with many unanswered requests, and refuses lookups beyond a number; an
/// abort must not wait behind a thousand submissions.
final class Outbox: Sendable {
  /// A kind of messages; those of one kind are written in order.
  enum Lane: CaseIterable {
    case submissions
    case lookups
    case others

    init(_ method: WireRequest.Method) {
      self = method == .submit ? .submissions : method.isLookup ? .lookups : .others
    }

    /// Number of messages that may be written and not answered at a time.
    ///
    /// All together are fewer than the requests of one connection that an engine works on, and lookups no
    /// more than an engine takes of a connection without the right to act.
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
    /// The least number that can still wait.
    var next = 1
    var last = 0
    /// Numbers of messages that are written and not answered, where there is a limit of these.
    var unanswered: Set<Int> = []

    mutating func append(_ message: [UInt8], as number: Int) {
      if messages.isEmpty { next = number }
      messages[number] = message
      last = number
    }

    /// The least number that waits.
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
  /// Rings when there is something to write; ends when nothing will be.
  let bells: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  init() {
    (bells, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { bell.finish() }

  /// Adds a message, whose number must be greater than those before it.
  ///
  /// - Parameters:
  ///   - message: The message with its line feed.
  ///   - number: The request's number.
  ///   - lane: The kind of message.
  func append(_ message: [UInt8], as number: Int, in lane: Lane = .others) {
    state.withLock { $0.queues[lane, default: Queue()].append(message, as: number) }
    bell.yield()
  }

  /// The message to be written next, which counts as written from here on; nil where none may be.
  func next() -> [UInt8]? { state.withLock { $0.removeNext() } }

  /// Notes that a request was answered; the next one of its kind may be written.
  func noteAnswer(to number: Int) {
    let isLimited = state.withLock { state in
      Lane.allCases.contains { state.queues[$0]?.unanswered.remove(number) != nil }
    }
    if isLimited { bell.yield() }
  }

  /// Takes a message out.
  ///
  /// - Returns: Whether it still waited: no byte of it was sent then.
  func remove(_ number: Int) -> Bool {
    state.withLock { state in
      Lane.allCases.contains { state.queues[$0]?.messages.removeValue(forKey: number) != nil }
    }
  }

  /// Drops everything, and ends the bells.
  func finish() {
    state.withLock { $0 = State() }
    bell.finish()
  }
}
