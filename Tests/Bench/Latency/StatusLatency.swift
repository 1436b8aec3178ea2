internal import Glibc
internal import InstallJobs

/// Writes status lines as dpkg does and looks for what they tell on a monitor's screen.
///
/// Blocks; for a thread of its own.
final class StatusLatency {
  /// A mark that was written and is not yet seen.
  private struct Pending {
    var word: String
    var at: Duration
    /// Bytes that the monitor had written before.
    var offset: Int
  }

  /// From the writing of a mark to its cell, or to that of a later mark.
  private(set) var latencies: [Duration] = []
  /// How many marks were never seen themselves: a later one stood in their place.
  private(set) var overtaken = 0
  private var pending: [Pending] = []
  private let program: WatchedProgram
  private let file: Int32

  /// - Parameters:
  ///   - program: A monitor that shows the job.
  ///   - path: The job's file of dpkg's status lines.
  /// - Throws: ``CannotMeasure`` when that cannot be written to.
  init(_ program: WatchedProgram, appendingTo path: String) throws(CannotMeasure) {
    self.program = program
    file = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard file >= 0 else { throw CannotMeasure("cannot write to '\(path)'") }
  }

  deinit { close(file) }

  /// Writes marks one by one, at irregular times, and waits for each.
  ///
  /// - Throws: ``CannotMeasure`` when one is not shown within ten seconds.
  func writeAlone(_ numbers: Range<Int>) throws(CannotMeasure) {
    var pauses = Irregular(seed: 3)
    for number in numbers {
      program.read(until: program.now + .milliseconds(150 + pauses.next(below: 250)))
      program.forget()
      try write([StatusMark.line(number)], endingWith: StatusMark.word(number))
      program.read(until: program.now + .seconds(10)) { poll() }
      guard pending.isEmpty else {
        throw CannotMeasure("'\(StatusMark.name(number))' was not shown within 10 s")
      }
    }
  }

  /// Writes a burst every ``LatencyLoad/interval``, each with a mark behind it.
  ///
  /// - Returns: Lines a second.
  /// - Throws: ``CannotMeasure`` when the last marks are not shown within five seconds.
  func write(bursts: [[String]], marks: Range<Int>) throws(CannotMeasure) -> Double {
    program.forget()
    let start = program.now
    var next = start
    var lines = 0
    for (burst, number) in zip(bursts, marks) {
      let text = burst + [StatusMark.line(number)]
      lines += text.count
      try write(text, endingWith: StatusMark.word(number))
      next += LatencyLoad.interval
      program.read(until: next) {
        poll()
        return false
      }
    }
    let length = (program.now - start).seconds
    program.read(until: program.now + .seconds(5)) { poll() }
    guard pending.isEmpty else { throw CannotMeasure("the last of the marks were not shown") }
    return Double(lines) / length
  }

  private func write(_ lines: [String], endingWith word: String) throws(CannotMeasure) {
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    pending.append(Pending(word: word, at: program.now, offset: program.output.count))
    let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw CannotMeasure("cannot write a status line") }
  }

  /// Looks for the marks in what the monitor has written since; true when none is missing.
  @discardableResult
  private func poll() -> Bool {
    guard let now = program.log.readings.last?.at else { return pending.isEmpty }
    let seen = pending.lastIndex { mark in
      let text = ScreenText(program.output[mark.offset...])
      return StatusMark.parts(of: mark.word).contains { text.shows([$0]) }
    }
    guard let seen else { return pending.isEmpty }
    latencies += pending[...seen].map { now - $0.at }
    overtaken += seen
    pending.removeFirst(seen + 1)
    return pending.isEmpty
  }
}
