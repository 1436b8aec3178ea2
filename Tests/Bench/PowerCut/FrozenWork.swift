internal import Glibc

/// An engine and all that works for it, stopped in one moment: nobody writes any more.
struct FrozenWork: Sendable, Hashable {
  private let processes: Set<pid_t>

  /// Stops an engine and the sessions of its workers.
  ///
  /// - Returns: Nil when they could not all be stopped; then they go on.
  static func freeze(_ engine: pid_t, below state: String, of owner: RootOwner) -> FrozenWork? {
    // Who has just made a child cannot stop before that has become a program, and a child that is
    // stopped first never does: all go on for a moment, and it is tried again.
    for _ in 0..<20 {
      if let frozen = attempt(engine, below: state, of: owner) { return frozen }
      usleep(5_000)
    }
    return nil
  }

  private static func attempt(
    _ engine: pid_t, below state: String, of owner: RootOwner
  ) -> FrozenWork? {
    var stopped: Set<pid_t> = []
    kill(engine, SIGSTOP)
    stopped.insert(engine)
    // What is started while others are being stopped is found in the next round.
    for _ in 0..<250 {
      let rows = ProcessTable.all().filter { $0.owner == owner.uid }
      let sessions = Set(rows.workers(below: state).map(\.session))
      let work = rows.filter { sessions.contains($0.session) && !$0.words.isEmpty }
      let running = work.map(\.process).filter { !stopped.contains($0) }
      if running.isEmpty, stopped.allSatisfy({ isStill($0) }) {
        return FrozenWork(processes: stopped)
      }
      for process in running where kill(process, SIGSTOP) == 0 { stopped.insert(process) }
      usleep(1_000)
    }
    FrozenWork(processes: stopped).thaw()
    return nil
  }

  private init(processes: Set<pid_t>) { self.processes = processes }

  /// How many stand still.
  var count: Int { processes.count }

  /// Lets them go on.
  func thaw() { for process in processes { kill(process, SIGCONT) } }

  /// Whether a process stands still, or is gone.
  private static func isStill(_ process: pid_t) -> Bool {
    guard let line = SmallFile.text("/proc/\(process)/stat"), let close = line.lastIndex(of: ")")
    else { return true }
    let state = line[line.index(after: close)...].split(separator: " ").first
    return ["T", "Z", "X"].contains(state)
  }
}
