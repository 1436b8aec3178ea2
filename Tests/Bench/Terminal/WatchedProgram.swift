internal import Glibc

/// A program on a pseudo-terminal of its own, read as an emulator reads, every read with its time.
///
/// For one thread: everything here blocks. Ends the program when it goes away.
final class WatchedProgram {
  /// Its process.
  let process: pid_t
  private(set) var log = OutputLog()
  /// All that it wrote.
  private(set) var output: [UInt8] = []
  /// False once the program has closed its terminal.
  private(set) var isOpen = true
  private let stop: StopSign
  private let controller: Int32
  private let start: ContinuousClock.Instant
  private var chunk = [UInt8](repeating: 0, count: 65_536)

  /// Starts a program as the leader of a session.
  ///
  /// - Parameters:
  ///   - path: The executable.
  ///   - arguments: What follows its name.
  ///   - environment: All of its environment.
  ///   - columns: The terminal's width.
  ///   - rows: The terminal's height.
  ///   - stop: Every wait ends soon after it is raised.
  /// - Throws: ``CannotMeasure`` when there is no terminal to be had or it cannot be started.
  init(
    _ path: String, _ arguments: [String], environment: [String: String],
    columns: Int = 120, rows: Int = 40, stop: StopSign = StopSign()
  ) throws(CannotMeasure) {
    self.stop = stop
    var controller: Int32 = -1
    var terminal: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard unsafe openpty(&controller, &terminal, &name, nil, &size) == 0 else {
      throw CannotMeasure("no pseudo-terminal is to be had: \(Self.explain(errno))")
    }
    for descriptor in [controller, terminal] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    start = ContinuousClock.now
    let result = Self.spawn(path, arguments, environment, on: name)
    close(terminal)
    switch result {
    case .success(let process): self.process = process
    case .failure(let error):
      close(controller)
      throw error
    }
    self.controller = controller
  }

  deinit {
    kill(process, SIGKILL)
    close(controller)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  /// Time since the start.
  var now: Duration { ContinuousClock.now - start }

  /// Forgets what it wrote, which nobody will ask for any more.
  func forget() {
    log = OutputLog()
    output = []
  }

  /// Types.
  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(controller, $0.baseAddress, $0.count) }
  }

  /// Presses the key that goes down, which a terminal sends as the program has set it (DECCKM).
  func pressDown() {
    let wantsApplicationKeys = output.firstRange(of: Array("\u{1b}[?1h".utf8)) != nil
    type(wantsApplicationKeys ? "\u{1b}OB" : "\u{1b}[B")
  }

  /// Reads until `isMet` or until the time `limit`; true when it was met.
  @discardableResult
  func read(until limit: Duration, _ isMet: () -> Bool = { false }) -> Bool {
    while isOpen, !stop.isRaised {
      let now = now
      guard now < limit else { return false }
      if readOnce(within: min(limit - now, .milliseconds(200))), isMet() { return true }
    }
    return false
  }

  /// Reads until nothing has come for `silence`, at most until the time `limit`.
  func readUntilSilent(_ silence: Duration, limit: Duration) {
    while isOpen, now < limit, readOnce(within: silence) {}
  }

  /// Reads for `duration` and calls `beat` every `interval` meanwhile.
  func read(for duration: Duration, every interval: Duration, _ beat: () -> Void) {
    let end = now + duration
    var next = now
    while next < end, !stop.isRaised {
      read(until: next)
      beat()
      next += interval
    }
    read(until: end)
  }

  /// Takes what is there, waiting for it at most `patience`; false when nothing came.
  private func readOnce(within patience: Duration) -> Bool {
    var entry = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
    // Rounded up, so that the last fraction of a millisecond is not spent polling.
    let wait = Int32(max(0, patience.milliseconds).rounded(.up))
    guard unsafe poll(&entry, 1, wait) > 0 else { return false }
    let count = unsafe chunk.withUnsafeMutableBytes {
      unsafe Glibc.read(controller, $0.baseAddress, $0.count)
    }
    guard count > 0 else {
      isOpen = false
      return false
    }
    log.add(OutputLog.Reading(at: now, bytes: count))
    output += chunk[..<count]
    return true
  }

  private static func spawn(
    _ path: String, _ words: [String], _ environment: [String: String], on terminal: [CChar]
  ) -> Result<pid_t, CannotMeasure> {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a session opens becomes its controlling terminal.
    unsafe posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = SpawnAttributes.fresh(inNewSession: true)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var arguments = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      let texts = unsafe arguments + variables
      for index in unsafe texts.indices { unsafe free(texts[index]) }
    }
    var process: pid_t = 0
    let result = unsafe posix_spawn(&process, path, &actions, &attributes, &arguments, &variables)
    guard result == 0 else {
      return .failure(CannotMeasure("cannot start '\(path)': \(explain(result))"))
    }
    return .success(process)
  }

  private static func explain(_ code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}

/// How programs are started: signals as they are by default, whatever this process ignores.
enum SpawnAttributes: Sendable {
  static func fresh(inNewSession: Bool) -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    let session = inNewSession ? 0x80 : 0
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(session | Int(POSIX_SPAWN_SETSIGMASK) | Int(POSIX_SPAWN_SETSIGDEF)))
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    return attributes
  }
}
