internal import Synchronization

/// Messages of a connection that wait to be written, in the order of their numbers.
///
/// A peer that does not read holds them up; until a message is written it can be taken out again.
/// Of those that the engine plans before it answers only some are written at a time: it reads nothing
/// more of a connection with many unanswered requests, and an abort must not wait behind a thousand
/// submissions.
final class Outbox: Sendable {
  /// How many planned requests are written and not answered at a time; fewer than the requests of one
  /// connection that an engine works on.
  static let plannedLimit = 16

  private struct Queue {
    var messages: [Int: [UInt8]] = [:]
    /// The least number that can still wait.
    var next = 1
    var last = 0

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
    var others = Queue()
    var planned = Queue()
    /// Planned requests that are written and not answered.
    var unanswered: Set<Int> = []
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
  ///   - isPlanned: Whether the engine plans it before it answers.
  func append(_ message: [UInt8], as number: Int, isPlanned: Bool = false) {
    state.withLock { state in
      if isPlanned {
        state.planned.append(message, as: number)
      } else {
        state.others.append(message, as: number)
      }
    }
    bell.yield()
  }

  /// The message to be written next, which counts as written from here on; nil where none may be.
  func next() -> [UInt8]? {
    state.withLock { state in
      let other = state.others.first()
      let planned = state.unanswered.count < Self.plannedLimit ? state.planned.first() : nil
      if let planned, planned < other ?? .max {
        state.unanswered.insert(planned)
        return state.planned.messages.removeValue(forKey: planned)
      }
      return other.flatMap { state.others.messages.removeValue(forKey: $0) }
    }
  }

  /// Notes that a request was answered; the next planned one may be written.
  func noteAnswer(to number: Int) {
    guard state.withLock({ $0.unanswered.remove(number) }) != nil else { return }
    bell.yield()
  }

  /// Takes a message out.
  ///
  /// - Returns: Whether it still waited: no byte of it was sent then.
  func remove(_ number: Int) -> Bool {
    state.withLock { state in
      state.others.messages.removeValue(forKey: number) != nil
        || state.planned.messages.removeValue(forKey: number) != nil
    }
  }

  /// Drops everything, and ends the bells.
  func finish() {
    state.withLock { $0 = State() }
    bell.finish()
  }
}
