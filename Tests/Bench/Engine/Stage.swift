internal import JobClient

/// A running engine that plays a scenario.
struct Stage: Sendable {
  let engine: RunningEngine
  let connection: EngineConnection
  /// The engine's process.
  let process: Int32
}

extension Workplace {
  /// Does something with an engine that plays a scenario; it is stopped afterwards.
  ///
  /// - Parameters:
  ///   - scenario: What it plays, as TOML.
  ///   - name: The folder of its state.
  ///   - body: What is done.
  /// - Returns: What came of it.
  /// - Throws: What `body` throws; ``CannotMeasure`` when no engine comes up.
  func onStage<Value>(
    playing scenario: String, in name: String = "stage", _ body: (Stage) async throws -> Value
  ) async throws -> Value {
    let home = try folder(name)
    let file = home + "/scenario.toml"
    try SmallFile.write(scenario, to: file)
    let engine = try RunningEngine(
      in: home, .scenario(file), owner: try RootOwner(), log: home + "/engine.log")
    do {
      let connection = try await engine.start()
      guard let process = await engine.process else { throw CannotMeasure("the engine is gone") }
      let value = try await body(
        Stage(engine: engine, connection: connection, process: process))
      await engine.stop()
      return value
    } catch {
      _ = await engine.kill()
      throw error
    }
  }
}
