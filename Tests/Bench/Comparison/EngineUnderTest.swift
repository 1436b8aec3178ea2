internal import InstallJobs
internal import JobClient

/// An engine on a fresh root, and `fettle` as a person or a script calls it.
struct EngineUnderTest: Sendable {
  let root: PrivateRoot
  let engine: RunningEngine
  let connection: EngineConnection
  let environment: [String: String]
  let log: String

  /// Calls `fettle install NAME… --wait` for each group of names, all at once.
  ///
  /// - Returns: Seconds until the last of them has ended.
  /// - Throws: ``CannotMeasure`` when one of them fails.
  func install(_ groups: [[String]]) async throws -> Double {
    let program = try NeighbourProgram.path("fettle")
    return try await Stopwatch.time {
      try groups.enumerated().map { index, names in
        try ChildProgram(
          [program, "--socket", engine.socket, "install", "--wait"] + names,
          environment: environment, log: "\(log)-\(index)")
      }
    }
  }

  /// The processor time of the engine's own process up to now; that of workers and tools is not in
  /// it.
  func processorTime() async throws -> Double {
    guard let process = await engine.process else { throw CannotMeasure("the engine is gone") }
    return try ProcessClock.time(of: process).seconds
  }
}

/// The wall time of programs.
enum Stopwatch: Sendable {
  /// Starts programs and waits for all of them; they are killed when nobody waits any more.
  ///
  /// - Parameter start: Starts them.
  /// - Returns: Seconds from before the first start to the end of the last.
  /// - Throws: ``CannotMeasure`` when one fails; `CancellationError`.
  static func time(_ start: () throws -> [ChildProgram]) async throws -> Double {
    let begin = ContinuousClock.now
    let programs = try start()
    let end = try await withTaskCancellationHandler {
      try await onOwnThread {
        for program in programs { program.wait() }
        return ContinuousClock.now
      }
    } onCancel: {
      for program in programs { program.killSession() }
    }
    try Task.checkCancellation()
    for program in programs {
      guard let status = program.status, status == 0 else {
        throw CannotMeasure(
          "'\(program.name)' ended with \(program.status ?? -1): \(program.output.suffix(500))")
      }
    }
    return (end - begin).seconds
  }
}
