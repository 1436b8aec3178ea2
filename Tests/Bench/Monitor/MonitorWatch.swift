internal import InstallJobs

/// What is seen of a monitor from the other side of its terminal, by one recipe for all of them.
///
/// Blocks; for a thread of its own.
struct MonitorWatch: Sendable {
  let monitor: MonitorProgram
  let effort: Effort
  /// Once it is raised, what is returned means nothing.
  let stop: StopSign

  /// How long a monitor may take to show anything.
  private static let patience = Duration.seconds(30)

  // MARK: The first frame

  /// The beginning of a run.
  struct Opening: Sendable, Hashable {
    /// From the start of the process to the first byte.
    var firstByte: Duration
    /// To the last byte before the silence that followed a whole screen.
    var wholeFrame: Duration
    /// Bytes up to there.
    var bytes: Int
  }

  /// Starts it and waits for a whole screen: heading, a row, then 30 ms without a byte.
  ///
  /// - Throws: ``CannotMeasure`` when that does not come.
  func opening() throws(CannotMeasure) -> Opening {
    let program = try monitor.start(.standard, rows: 40, stop: stop)
    try waitForScreen(of: program)
    guard let first = program.log.readings.first, let last = program.log.readings.last else {
      throw CannotMeasure("\(monitor.title) wrote nothing")
    }
    return Opening(firstByte: first.at, wholeFrame: last.at, bytes: program.log.byteCount)
  }

  private func waitForScreen(of program: WatchedProgram) throws(CannotMeasure) {
    let words = monitor.words
    guard program.read(until: Self.patience, { ScreenText(program.output).shows(words) }) else {
      let missing = words.first { !ScreenText(program.output).shows([$0]) } ?? ""
      throw CannotMeasure(
        "\(monitor.title) did not show '\(missing)' within \(Int(Self.patience.seconds)) s")
    }
    program.readUntilSilent(.milliseconds(30), limit: program.now + .seconds(2))
  }

  // MARK: Idle

  /// A look at a monitor while nothing happens.
  struct Rest: Sendable, Hashable {
    var bytes: Int
    /// Wake-ups in each second.
    var wakeUps: [Int]
  }

  /// Lets it come to rest, then counts what it does with nothing to do.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be watched.
  func rest() throws(CannotMeasure) -> Rest {
    let program = try monitor.start(.standard, rows: 40, stop: stop)
    try waitForScreen(of: program)
    program.read(until: program.now + .seconds(effort.resting))
    let start = program.now
    var wakeUps: [Int] = []
    for second in 0..<Int(effort.window) {
      let before = try ProcessCounters(of: program.process)
      program.read(until: start + .seconds(second + 1))
      wakeUps.append(try ProcessCounters(of: program.process).since(before).waits)
    }
    return Rest(bytes: program.log.since(start).byteCount, wakeUps: wakeUps)
  }

  // MARK: Keys

  /// Presses the key that goes down at irregular times.
  ///
  /// - Returns: For each key, the time to the first byte that answers it.
  /// - Throws: ``CannotMeasure`` when a key is not answered within two seconds.
  func keys() throws(CannotMeasure) -> [Duration] {
    let program = try monitor.start(.slow, rows: 40, stop: stop)
    try waitForScreen(of: program)
    program.read(until: program.now + .seconds(effort.settling))
    var pauses = Irregular(seed: 7)
    var answers: [Duration] = []
    for _ in 0..<effort.keys {
      program.read(until: program.now + .milliseconds(150 + pauses.next(below: 250)))
      let start = program.now
      program.pressDown()
      guard program.read(until: start + .seconds(2), { true }),
        let answer = program.log.since(start).readings.first
      else { throw CannotMeasure("\(monitor.title) did not answer a key within 2 s") }
      answers.append(answer.at - start)
      program.readUntilSilent(.milliseconds(40), limit: program.now + .seconds(1))
    }
    return answers
  }

  // MARK: Motion

  /// A look at a monitor at ten frames a second.
  struct Motion: Sendable, Hashable {
    /// Bytes of each frame.
    var frames: [Int]
    var framesPerSecond: Double
    /// Share of one processor in each second, in percent.
    var processorShares: [Double]
    var memory: ProcessMemory
    /// How many of the words asked for have been on the screen.
    var wordsShown: Int
  }

  /// Lets it settle at ten frames a second, then counts.
  ///
  /// - Parameters:
  ///   - rows: The terminal's height.
  ///   - words: Words to look for on the screen.
  ///   - beat: Called ten times a second: what moves the thing that is shown.
  /// - Returns: What was counted after it had settled.
  /// - Throws: ``CannotMeasure`` when it cannot be watched.
  func motion(
    rows: Int = 40, counting words: [String] = [], beat: () -> Void = {}
  ) throws(CannotMeasure) -> Motion {
    let program = try monitor.start(.fast, rows: rows, stop: stop)
    try waitForScreen(of: program)
    let interval = Duration.milliseconds(100)
    program.read(for: .seconds(effort.settling), every: interval, beat)
    let start = program.now
    var shares: [Double] = []
    for _ in 0..<Int(effort.window) {
      let before = try ProcessCounters(of: program.process)
      let second = program.now
      program.read(for: .seconds(1), every: interval, beat)
      let spent = try ProcessCounters(of: program.process).since(before)
      shares.append(spent.processorTime / (program.now - second) * 100)
    }
    let seconds = (program.now - start).seconds
    let memory = try ProcessMemory(of: program.process)
    let frames = program.log.since(start).frames()
    let text = ScreenText(program.output)
    return Motion(
      frames: frames, framesPerSecond: Double(frames.count) / seconds,
      processorShares: shares,
      memory: memory,
      wordsShown: words.count { text.shows([$0]) })
  }
}

/// Numbers that look random and are the same in every run.
struct Irregular: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// The next number, 0..<`limit`.
  mutating func next(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % max(1, limit)
  }
}
