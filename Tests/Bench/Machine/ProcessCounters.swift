/// What the kernel has counted of a process, thread by thread, at one moment.
struct ProcessCounters: Sendable, Hashable {
  /// One thread's counters since it began.
  struct Thread: Sendable, Hashable {
    /// Time on a processor.
    var processorTime: Duration
    /// How often it gave its processor up to wait: each time is a wake-up.
    var waits: Int
  }

  private(set) var threads: [String: Thread] = [:]

  /// Counters of its parts.
  init(_ threads: [String: Thread]) { self.threads = threads }

  /// The counters of a process now.
  ///
  /// - Throws: ``CannotMeasure`` when there is no such process.
  init(of process: Int32) throws(CannotMeasure) {
    let folder = "/proc/\(process)/task"
    for name in SmallFile.names(in: folder) {
      guard let schedule = SmallFile.text("\(folder)/\(name)/schedstat"),
        let status = SmallFile.text("\(folder)/\(name)/status"),
        let time = Self.processorTime(schedule),
        let waits = Self.figure("voluntary_ctxt_switches", in: status)
      else { continue }
      threads[name] = Thread(processorTime: time, waits: waits)
    }
    guard !threads.isEmpty else {
      throw CannotMeasure("process \(process) ended while it was being measured")
    }
  }

  /// What was counted between an earlier moment and this one, threads that are new since included.
  func since(_ earlier: ProcessCounters) -> Thread {
    var sum = Thread(processorTime: .zero, waits: 0)
    for (name, thread) in threads {
      let before = earlier.threads[name]
      sum.processorTime += thread.processorTime - (before?.processorTime ?? .zero)
      sum.waits += thread.waits - (before?.waits ?? 0)
    }
    return sum
  }

  /// The first field of a `schedstat` file, nanoseconds on a processor.
  static func processorTime(_ schedule: String) -> Duration? {
    schedule.split(separator: " ").first.flatMap { Int64($0) }.map { .nanoseconds($0) }
  }

  /// The number after `name:` in a file of such lines.
  static func figure(_ name: String, in text: String) -> Int? {
    for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
      return line.dropFirst(name.count + 1).split { $0 == " " || $0 == "\t" }.first
        .flatMap { Int($0) }
    }
    return nil
  }
}

/// The memory of a process, in bytes.
struct ProcessMemory: Sendable, Hashable {
  /// Pages in memory, shared ones in full.
  var resident: Int
  /// Pages in memory, shared ones divided by those who share them.
  var proportional: Int
  /// Pages that are in no file: heap, stacks, what was written to.
  var anonymous: Int

  /// The memory of a process now.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be read.
  init(of process: Int32) throws(CannotMeasure) {
    guard let text = SmallFile.text("/proc/\(process)/smaps_rollup"), let read = Self(text) else {
      throw CannotMeasure("the memory of process \(process) cannot be read")
    }
    self = read
  }

  /// Reads a `smaps_rollup` file; nil when it is none.
  init?(_ text: String) {
    guard let resident = ProcessCounters.figure("Rss", in: text),
      let proportional = ProcessCounters.figure("Pss", in: text),
      let anonymous = ProcessCounters.figure("Anonymous", in: text)
    else { return nil }
    self.resident = resident * 1024
    self.proportional = proportional * 1024
    self.anonymous = anonymous * 1024
  }
}
