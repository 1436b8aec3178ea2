internal import CProcess
internal import Glibc
internal import Synchronization

/// One run of a program, from its start to its end, with what it says collected.
///
/// The program leads a process group. It is waited for on a thread of its own, so that a program that
/// does not end occupies nothing that others need.
final class ToolCall: Sendable {
  /// How a run ended.
  package enum End: Sendable {
    case ended(Tool.Run)
    /// The program could not be started, with the reason in words.
    case failed(String)
    /// It said more than it may, in bytes.
    case saidTooMuch(limit: Int)
    /// It took too long; the number of the process where that has not ended although it was killed.
    case timedOut(remaining: Int32?)
    case cancelled
    /// It was not started: so many programs that were killed have not ended.
    case tooManyRemain(Int)
  }

  /// Threads that wait for programs.
  private static let threads = WaitingThreads(limit: 64)
  /// Number of programs that were killed and have not ended, above which none is started.
  private static let mostRemaining = 64
  private static let remaining = Mutex(0)

  private let arguments: [String]
  private let environment: [String: String]
  private let limits: Tool.Limits
  private let cancellation: Descriptor?

  /// A run that has not begun.
  ///
  /// - Parameters:
  ///   - arguments: The program's absolute path, then its arguments.
  ///   - environment: The whole environment.
  ///   - limits: How long it may go on.
  init(_ arguments: [String], environment: [String: String], limits: Tool.Limits) {
    self.arguments = arguments
    self.environment = environment
    self.limits = limits
    cancellation = Descriptor(counter_open())
  }

  /// Runs the program to its end; ended early by the cancellation of the task where its limits allow.
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
    // What nobody waits for any more is not begun.
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
    // Before the program is waited for, its number and its group's are nobody else's.
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

  /// Reads what the program says until it has ended.
  ///
  /// - Returns: Why it is to be ended now; nil where it ended by itself.
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
      // In this order: all that it said lies in the pipes once it has ended.
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

  /// What has come through a pipe.
  private struct Stream {
    let descriptor: Descriptor
    let limit: Int
    var bytes: [UInt8] = []
    var isOver = false

    init(_ descriptor: Descriptor, limit: Int) {
      self.descriptor = descriptor
      self.limit = limit
    }

    /// Reads what is there; false where some of it was more than the limit, and was dropped.
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
