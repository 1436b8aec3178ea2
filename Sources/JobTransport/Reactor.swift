internal import FlyingSocks

/// The single event queue of the process, used by all sockets of this module.
actor Reactor {
  static let shared = Reactor()

  private var start: Task<SocketPool<ePoll>, any Error>?

  /// The running event queue.
  func pool() async throws -> SocketPool<ePoll> {
    if let start { return try await start.value }
    let starting = Task {
      // With level triggering, an event that arrives while the queue reads an older copy of its
      // table is reported again and not lost.
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
  /// Returns when the queue has finished its current work.
  ///
  /// A descriptor must leave the queue's table before it is closed. Its number is reused at once,
  /// and the queue would treat the new socket as already watched.
  func settle() {}
}
