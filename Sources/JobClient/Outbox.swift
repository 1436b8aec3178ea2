internal import Synchronization

/// Messages of a connection that wait to be written, in the order of their numbers.
///
/// A peer that does not read holds them up; until a message is written it can be taken out again.
final class Outbox: Sendable {
  private struct State {
    var messages: [Int: [UInt8]] = [:]
    /// The least number that can still wait.
    var next = 1
    var last = 0
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
  func append(_ message: [UInt8], as number: Int) {
    state.withLock { state in
      state.messages[number] = message
      state.last = number
    }
    bell.yield()
  }

  /// The message to be written next, which counts as written from here on; nil where none waits.
  func next() -> [UInt8]? {
    state.withLock { state in
      while state.next <= state.last {
        defer { state.next += 1 }
        if let message = state.messages.removeValue(forKey: state.next) { return message }
      }
      return nil
    }
  }

  /// Takes a message out.
  ///
  /// - Returns: Whether it still waited: no byte of it was sent then.
  func remove(_ number: Int) -> Bool {
    state.withLock { $0.messages.removeValue(forKey: number) != nil }
  }

  /// Drops everything, and ends the bells.
  func finish() {
    state.withLock { $0.messages = [:] }
    bell.finish()
  }
}
