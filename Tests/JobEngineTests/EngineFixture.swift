import InstallJobs
import JobEngine
import JobJournal
import SimulatedProvider
import Support

/// An engine in this process on a scripted package system, with its journal in a scratch folder.
final class EngineFixture: Sendable {
  static let ops = Requester(uid: 1000, user: "ops")
  let folder: ScratchFolder
  let journal: Journal
  let provider: SimulatedProvider
  let engine: Engine
  let backend: LocalBackend
  let session: UpdateSession

  init(
    _ provider: SimulatedProvider, in folder: ScratchFolder,
    configure: (inout EngineSettings) -> Void = { _ in }
  ) async throws {
    self.folder = folder
    self.provider = provider
    journal = try Journal.open(at: folder.path("journal.sqlite"))
    var settings = EngineSettings(stateFolder: folder.path, version: "test")
    configure(&settings)
    engine = Engine(provider: provider, journal: journal, settings: settings)
    try await engine.start()
    backend = LocalBackend(engine, as: Self.ops)
    session = UpdateSession(backend: backend, clientName: "test")
  }

  /// An engine whose work the test plays by hand.
  static func byHand(
    _ scenario: Scenario = .steps(3), configure: (inout EngineSettings) -> Void = { _ in }
  ) async throws -> (EngineFixture, ManualWork) {
    let (provider, work) = SimulatedProvider.manual(scenario)
    return (
      try await EngineFixture(provider, in: ScratchFolder(), configure: configure), work
    )
  }

  /// An engine that plays a scenario by itself.
  static func playing(
    _ scenario: Scenario, configure: (inout EngineSettings) -> Void = { _ in }
  ) async throws -> EngineFixture {
    try await EngineFixture(
      SimulatedProvider(playing: scenario), in: ScratchFolder(), configure: configure)
  }

  func installer() throws -> UpdateInstaller { try session.makeInstaller() }

  /// How many requests to abort stand in the journal.
  var abortRequests: Int {
    get throws {
      try journal.events(after: 0, limit: 1000).count {
        if case .abortRequested = $0.payload { true } else { false }
      }
    }
  }
}

/// A value that several tasks may change.
final class Recorder<Value: Sendable>: Sendable {
  private let state: Locked<[Value]> = Locked([])
  var values: [Value] { state.value }
  func note(_ value: Value) { state.change { $0.append(value) } }
}
