internal import CProcess
internal import Glibc
internal import Synchronization

/// One run of a program, from its start to its end, with its output collected.
///
/// The program leads a process group. A thread of its own waits for the program, so that a program
/// that does not end blocks no shared thread.
final class ToolCall: Sendable {
  /// The result of a run.
  package enum End: Sendable {
    case ended(Tool.Run)
    /// The program could not be started, with the reason in words.
    case failed(String)
    /// The output exceeded the limit, in bytes.
    case saidTooMuch(limit: Int)
    /// The time-out expired; the process number if the process has not ended although it was
    /// killed.
    case timedOut(remaining: Int32?)
    case cancelled
    /// The program was not started, because this number of killed programs have not ended.
    case tooManyRemain(Int)
  }

  /// The threads that wait for programs.
  private static let threads = WaitingThreads(limit: 64)
  /// Number of killed programs that have not ended; while there are so many, none is started.
  private static let mostRemaining = 64
  private static let remaining = Mutex(0)

  private let arguments: [String]
  private let environment: [String: String]
  private let limits: Tool.Limits
  private let cancellation: Descriptor?

  /// Creates a run without starting it.
  ///
  /// - Parameters:
  ///   - arguments: The program's absolute path, then its arguments.
  ///   - environment: The whole environment.
  ///   - limits: The limits of the run.
  init(_ arguments: [String], environment: [String: String], limits: Tool.Limits) {
    self.arguments = arguments
    self.environment = environment
    self.limits = limits
    cancellation = Descriptor(counter_open())
  }

  /// Runs the program to its end; the cancellation of the task ends it early if the limits permit
  /// that.
  package func end() async -> End {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Self.threads.perform { continuation.resume(returning: self.run()) }
      }
    } onCancel: {
      if limits.isCancellable, let cancellation { counter_raise(cancellation.number) }
    }
  }

  private func run() -> End {
    guard let cancellation, let output = Pipe(), let errors = Pipe() else {
      return .failed("no descriptor is free")
    }
    // A run cancelled before its start is not started.
    if limits.isCancellable, wait_readable(cancellation.number, -1, -1, 0) != 0 {
      return .cancelled
    }
    let remaining = Self.remaining.withLock { $0 }
    guard remaining < Self.mostRemaining else { return .tooManyRemain(remaining) }
    guard
      let process = output.write.value.flatMap({ output in
        errors.write.value.flatMap { errors in
          ToolProcess(arguments, environment: environment, output: output, errors: errors)
        }
      })
    else {
      return .failed(unsafe access(arguments[0], X_OK) == 0 ? "no process is free" : Self.reason())
    }
    output.write.value = nil
    errors.write.value = nil
    var streams = [
      Stream(output.read, limit: Tool.outputLimit), Stream(errors.read, limit: Tool.errorLimit),
    ]
    let stop = collect(from: &streams, until: process, cancellation)
    // Until the program is reaped, no other process can have its number or its group's.
    if limits.endsGroup { process.signalGroup(limits.signal) }
    if let stop {
      let hasEnded = wait_readable(process.descriptor.number, -1, -1, ToolProcess.killTimeout) != 0
      if hasEnded { _ = process.reap() } else { Self.reapInBackground(process) }
      if case .timedOut = stop { return .timedOut(remaining: hasEnded ? nil : process.pid) }
      return stop
    }
    let status = process.reap()
    return .ended(
      Tool.Run(
        status: status, output: String(decoding: streams[0].bytes, as: UTF8.self),
        errors: String(decoding: streams[1].bytes, as: UTF8.self)))
  }

  private static func reapInBackground(_ process: ToolProcess) {
    remaining.withLock { $0 += 1 }
    process.reapInBackground { remaining.withLock { $0 -= 1 } }
  }

  private static func reason() -> String { unsafe String(cString: strerror(errno)) }

  /// Collects the program's output until it has ended.
  ///
  /// - Returns: The reason to end the program now; nil when it ended by itself.
  private func collect(
    from streams: inout [Stream], until process: ToolProcess, _ cancellation: Descriptor
  ) -> End? {
    let deadline = limits.seconds.map { ContinuousClock.now + .seconds($0) }
    while true {
      var entries = streams.map { $0.isOver ? -1 : $0.descriptor.number }
        .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      entries.append(pollfd(fd: process.descriptor.number, events: Int16(POLLIN), revents: 0))
      let watched = limits.isCancellable ? cancellation.number : -1
      entries.append(pollfd(fd: watched, events: Int16(POLLIN), revents: 0))
      let left = deadline.map { max(0, ContinuousClock.now.duration(to: $0).milliseconds) }
      let count = unsafe poll(
        &entries, nfds_t(entries.count), left.map { Int32(clamping: $0) } ?? -1)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return .failed(Self.reason()) }
      // The end is checked before the pipes are read, so that no output of an ended program is
      // lost.
      let hasEnded = entries[2].revents != 0
      for index in streams.indices where hasEnded || entries[index].revents != 0 {
        guard streams[index].read() || !limits.endsGroup else {
          return .saidTooMuch(limit: streams[index].limit)
        }
      }
      if hasEnded { return nil }
      if entries[3].revents != 0 { return .cancelled }
      if let deadline, ContinuousClock.now >= deadline { return .timedOut(remaining: nil) }
    }
  }

  /// A pipe whose reader does not block.
  private struct Pipe {
    let read: Descriptor
    let write: Box

    final class Box {
      var value: Descriptor?
      init(_ value: Descriptor?) { self.value = value }
    }

    init?() {
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe_open(&ends) == 0, let read = Descriptor(ends[0]),
        let write = Descriptor(ends[1]), fcntl(read.number, F_SETFL, O_NONBLOCK) == 0
      else { return nil }
      self.read = read
      self.write = Box(write)
    }
  }

  /// The output received through a pipe.
  private struct Stream {
    let descriptor: Descriptor
    let limit: Int
    var bytes: [UInt8] = []
    var isOver = false

    init(_ descriptor: Descriptor, limit: Int) {
      self.descriptor = descriptor
      self.limit = limit
    }

    /// Reads the available output; false when some of it exceeded the limit and was dropped.
    mutating func read() -> Bool {
      var piece = [UInt8](repeating: 0, count: 64 << 10)
      while !isOver {
        let count = unsafe Glibc.read(descriptor.number, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN { return true }
        guard count > 0 else {
          isOver = true
          return true
        }
        let kept = min(count, limit - bytes.count)
        bytes += piece[..<kept]
        if kept < count { return false }
      }
      return true
    }
  }
}
