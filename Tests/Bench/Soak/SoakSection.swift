internal import InstallJobs
internal import Synchronization

/// Thousands of jobs, and monitors that come and go, for an hour: what must not grow is measured.
struct SoakSection: Section {
  static let name = "soak"
  private let seed: UInt64

  init() { self.init(seed: .random(in: 1...999_999)) }

  init(seed: UInt64) { self.seed = seed }

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let plan = SoakPlan(effort)
    let ground = try await ProvingGround(lanes: 1)
    defer { ground.remove() }
    let place = ground.places[0]
    let stage = try ground.stage(playing: SoakPlan.scenario)
    say(
      "seed \(seed); \(plan.simulated) simulated and \(plan.real) real jobs over \(plan.length)")
    let (messages, teller) = AsyncStream.makeStream(of: String.self)
    let seed = seed
    let work = Task {
      defer { teller.finish() }
      return try await SoakRun(
        plan, simulated: stage, real: place, seed: seed,
        tell: { teller.yield($0) }
      ).run()
    }
    return try await withTaskCancellationHandler {
      for await message in messages { say(message) }
      let outcome = try await work.value
      let audit = try await place.root.audit()
      if !audit.isEmpty { say("dpkg --audit says \(audit)") }
      return outcome.figures(
        Self.name, plan, audits: [audit.isEmpty ? 0 : 1], seed: seed, isFull: effort == .full)
    } onCancel: {
      work.cancel()
    }
  }
}
