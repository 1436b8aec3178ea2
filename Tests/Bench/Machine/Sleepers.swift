internal import Glibc

/// Processes that only sleep, for monitors of processes to have something to show.
///
/// They end by ``end()``, and by themselves after a quarter of an hour.
struct Sleepers: Sendable {
  /// Their process ids.
  let processes: [pid_t]

  /// Starts so many.
  ///
  /// - Throws: ``CannotMeasure`` when one cannot be started.
  init(_ count: Int) throws(CannotMeasure) {
    let path = "/bin/sleep"
    var attributes = SpawnAttributes.fresh(inNewSession: false)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    let words: [String] = [path, "900"]
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    var none: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
    var processes: [pid_t] = []
    for _ in 0..<count {
      var process: pid_t = 0
      guard unsafe posix_spawn(&process, path, nil, &attributes, &arguments, &none) == 0 else {
        Sleepers(processes).end()
        throw CannotMeasure("cannot start '\(path)' \(count) times")
      }
      processes.append(process)
    }
    self.processes = processes
  }

  private init(_ processes: [pid_t]) { self.processes = processes }

  /// Ends them; once.
  func end() {
    for process in processes { kill(process, SIGKILL) }
    var status: Int32 = 0
    for process in processes { while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {} }
  }
}
