internal import Synchronization

/// Sleeps on the machine's clock that leave nothing behind when they are cancelled.
///
/// A cancelled `Task.sleep` keeps some 700 bytes until its time has come (measured with Swift 6.3 on
/// Linux). Here tasks sleep for all together: at least one until the earliest deadline, each for a minute
/// at most. A sleep that is cancelled is removed, and its deadline wakes nobody.
package final class SleepQueue: Sendable {
  /// The queue of this process.
  package static let shared = SleepQueue()

  private struct State {
    var sleepers: [Int: Sleeper] = [:]
    var lastNumber = 0
    /// The deadlines of the sleepers, and of some that are gone.
    var deadlines = DeadlineHeap()
    /// Sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []
    /// When the tasks that sleep for all wake, the latest first.
    var timers: [ContinuousClock.Instant] = []
  }

  private struct Sleeper {
    var deadline: ContinuousClock.Instant
    /// Gets whether the deadline has passed.
    var continuation: CheckedContinuation<Bool, Never>
  }

  /// The longest that a task sleeps for all: so long may it be left without a sleeper.
  private static let longest = Duration.seconds(60)

  private let state = Mutex(State())

  package init() {}

  /// How many sleeps have not ended.
  package var count: Int { state.withLock { $0.sleepers.count } }

  /// How many tasks sleep for all.
  package var timerCount: Int { state.withLock { $0.timers.count } }

  /// Sleeps for a time by a clock; only by the clock of this machine it leaves nothing behind.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled.
  package func sleep(for time: Duration, by clock: any Clock<Duration>) async throws {
    guard clock is ContinuousClock else { return try await clock.sleep(for: time) }
    // A moment that is further away is none that a clock can tell.
    try await sleep(until: .now + min(time, .seconds(1_000_000_000)))
  }

  /// Sleeps until a moment; returns at once where it has passed.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled.
  package func sleep(until deadline: ContinuousClock.Instant) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let hasPassed = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver: Bool? = state.withLock { state in
          guard state.cancelled.remove(number) == nil else { return false }
          guard deadline > .now else { return true }
          state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
          state.deadlines.insert(deadline, number)
          setTimer(&state)
          return nil
        }
        if let isOver { continuation.resume(returning: isOver) }
      }
    } onCancel: {
      cancel(number)
    }
    _ = state.withLock { $0.cancelled.remove(number) }
    guard hasPassed else { throw CancellationError() }
  }

  private func cancel(_ number: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      guard let sleeper = state.sleepers.removeValue(forKey: number) else {
        state.cancelled.insert(number)
        return nil
      }
      if state.deadlines.count > 2 * state.sleepers.count + 64 {
        state.deadlines = DeadlineHeap(state.sleepers.map { ($1.deadline, $0) })
      }
      return sleeper
    }
    sleeper?.continuation.resume(returning: false)
  }

  /// Starts a timer for the earliest deadline, where none ends before it.
  ///
  /// Timers that end later are not cancelled: that would leave them behind.
  private func setTimer(_ state: inout State) {
    guard let earliest = state.deadlines.first else { return }
    let moment = min(earliest, .now + Self.longest)
    if let next = state.timers.last, next <= moment { return }
    state.timers.append(moment)
    Task.detached {
      try? await Task.sleep(until: moment, clock: .continuous)
      self.wake(moment)
    }
  }

  private func wake(_ timer: ContinuousClock.Instant) {
    let due = state.withLock { state -> [Sleeper] in
      if let index = state.timers.lastIndex(of: timer) { state.timers.remove(at: index) }
      var due: [Sleeper] = []
      let now = ContinuousClock.now
      while let earliest = state.deadlines.first {
        let number = state.deadlines.firstNumber
        if state.sleepers[number] != nil, earliest > now { break }
        state.deadlines.removeFirst()
        if let sleeper = state.sleepers.removeValue(forKey: number) { due.append(sleeper) }
      }
      setTimer(&state)
      return due
    }
    for sleeper in due { sleeper.continuation.resume(returning: true) }
  }
}

/// Numbered moments, of which the earliest is at hand.
struct DeadlineHeap: Sendable {
  private var entries: [(deadline: ContinuousClock.Instant, number: Int)] = []

  init() {}

  init(_ entries: [(ContinuousClock.Instant, Int)]) {
    // Sorted moments are a heap.
    self.entries = entries.map { ($0, $1) }.sorted { $0.0 < $1.0 }
  }

  var count: Int { entries.count }

  /// The earliest moment.
  var first: ContinuousClock.Instant? { entries.first?.deadline }

  /// The number of the earliest moment; there must be one.
  var firstNumber: Int { entries[0].number }

  mutating func insert(_ deadline: ContinuousClock.Instant, _ number: Int) {
    entries.append((deadline, number))
    var index = entries.count - 1
    while index > 0, entries[index].deadline < entries[(index - 1) / 2].deadline {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the earliest moment; there must be one.
  mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
        if entries[child].deadline < entries[least].deadline { least = child }
      }
      guard least != index else { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
