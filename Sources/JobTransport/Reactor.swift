internal import FlyingSocks

/// The one event queue of the process on which all our sockets wait.
actor Reactor {
  static let shared = Reactor()

  private var start: Task<SocketPool<ePoll>, any Error>?

  /// The running event queue.
  func pool() async throws -> SocketPool<ePoll> {
    if let start { return try await start.value }
    let starting = Task {
      // Level triggering: an event that arrives while the queue looks at an older copy of its own
      // table is reported again instead of being lost.
      let pool: SocketPool<ePoll> = .ePoll(triggering: .level, maxEvents: 64)
      try await pool.prepare()
      Task { try await pool.run() }
      return pool
    }
    start = starting
    return try await starting.value
  }
}

extension SocketPool {
  /// Returns when the queue has finished what it was doing.
  ///
  /// A descriptor must leave the queue's table before it is closed: its number is used again at
  /// once, and the queue would believe that it already watches the new owner.
  func settle() {}
}
