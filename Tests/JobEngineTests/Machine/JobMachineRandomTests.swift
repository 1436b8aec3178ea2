import InstallJobs
import PackageProvider
import Support
import Testing

@testable import JobEngine

/// Any input in any state: what must hold whatever comes.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts) struct `A job under any sequence of inputs` {
  /// A generator that gives the same numbers for the same seed (SplitMix64).
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  /// One life of a job, and a follower that knows only what was published.
  private struct Life {
    var fixture: JobMachineFixture
    var follower: JobSnapshot
    var completions = 0
    var accepted = 0

    init(archives: Bool, isDownloadOnly: Bool) {
      var options = InstallationOptions()
      options.isDownloadOnly = isDownloadOnly
      fixture = JobMachineFixture(
        requested: ["q3", "p1"], archives: archives, options: options)
      // Some is moved by time alone, and some is not known.
      let known = LearnedCosts.known(
        ["p1": (3, 40), "q2": (1, 0.1)], connect: 2, prepare: 5, conclude: 20)
      fixture.machine.setLearnedCosts(by: known)
      follower = fixture.snapshot
    }

    mutating func feed(_ input: JobMachine.Input) {
      let before = fixture.machine
      let actions: [JobMachine.Action]
      do {
        actions = try fixture.feed(input)
      } catch {
        #expect(fixture.machine.state == before.state, "a refused input changes nothing")
        #expect(fixture.machine.snapshot == before.snapshot, "a refused input changes nothing")
        return
      }
      let time = Timestamp(milliseconds: fixture.second * 1000)
      for action in actions {
        switch action {
        case .record(let payload):
          #expect(payload.isDurable)
          if case .completed = payload { completions += 1 }
          follower.apply(JobEvent(seq: 1, at: time, job: JobID(1), payload: payload))
        case .publish(let payload):
          #expect(!payload.isDurable)
          follower.apply(JobEvent(seq: 1, at: time, job: JobID(1), payload: payload))
        case .answer(.accepted):
          accepted += 1
          #expect(fixture.snapshot.abort != nil, "an accepted abort is on record")
        case .answer(.alreadyCompleted): #expect(fixture.machine.state == .ended)
        default: break
        }
      }
      check(after: input, before.snapshot)
    }

    private func check(after input: JobMachine.Input, _ before: JobSnapshot) {
      let now = fixture.snapshot
      #expect(now.percentComplete >= before.percentComplete, "after \(input)")
      #expect(now.percentComplete < 100 || now.state.isFinal, "after \(input)")
      for (status, old) in zip(now.plan ?? [], before.plan ?? []) {
        #expect(status.percentComplete >= old.percentComplete, "after \(input)")
      }
      if now.overdue != nil { #expect(!now.isStalled && !now.state.isFinal, "after \(input)") }
      #expect((now.percentComplete == 100) == (now.resultCode == .succeeded), "after \(input)")
      #expect(completions == (fixture.machine.state == .ended ? 1 : 0), "after \(input)")
      #expect(now.state.isFinal == (completions == 1), "after \(input)")
      #expect(follower.state == now.state, "after \(input)")
      #expect(follower.abort == now.abort, "after \(input)")
      #expect(follower.percentComplete == now.percentComplete, "after \(input)")
      if now.options.isDownloadOnly {
        #expect((now.plan ?? []).allSatisfy { $0.phase <= .downloaded }, "after \(input)")
        #expect(now.state != .installing && !now.requiresReboot, "after \(input)")
      }
      guard now.state.isFinal else { return }
      #expect(now.resultCode.isFinal)
      #expect(now.updates.allSatisfy { $0.resultCode != .inProgress }, "after \(input)")
      let codes = now.updates.map(\.resultCode)
      let planned = (now.plan ?? []).map(\.resultCode)
      if now.resultCode == .succeeded {
        #expect(codes.allSatisfy { $0 == .succeeded } && planned.allSatisfy { $0 == .succeeded })
      } else {
        #expect(now.counts == (planned.isEmpty ? nil : ResultCounts(now.plan ?? [])))
      }
      if now.resultCode == .aborted {
        #expect(now.abort != nil)
        #expect(planned.contains(.notStarted) || codes.contains(.notStarted))
      }
      #expect(now.abortPreview == .alreadyCompleted)
      #expect(follower.resultCode == now.resultCode && follower.error == now.error)
      #expect(follower.updates == now.updates && follower.plan == now.plan)
      #expect(follower.repairs == now.repairs && follower.rebootReasons == now.rebootReasons)
    }

    /// Goes on as a restarted engine does, from what the journal has.
    mutating func recover() {
      fixture.machine = JobMachine(recovering: follower, plan: fixture.machine.plan)
      follower = fixture.snapshot
    }
  }

  private static func report(_ random: inout Seeded) -> WorkReport {
    let step = Int.random(in: -1...3, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return .stage(.downloading)
    case 1: return .stage(.waitingForLock(nil))
    case 2: return .stage(.installing)
    case 3: return .downloaded(step: step, bytes: Int64.random(in: -5...2000, using: &random))
    case 4...6:
      return .phase(step: step, UpdatePhase.allCases.randomElement(using: &random) ?? .done)
    case 7: return .fraction(step: step, Double.random(in: -1...2, using: &random))
    case 8: return .failed(step: step < 0 ? nil : step, InstallationError(.packageFailed, "no"))
    case 9: return .trigger(Bool.random(using: &random) ? "man-db" : nil)
    case 10: return .log(length: 7)
    default: return .alive
    }
  }

  private static func answer(_ random: inout Seeded) -> StopAnswer {
    let step = Int.random(in: -1...3, using: &random)
    return [.atOnce, .after(step: step), .finalStep(step), .over].randomElement(using: &random)
      ?? .over
  }

  private static func verification(_ random: inout Seeded) -> JobMachine.Input {
    let findings = (0..<Int.random(in: 2...4, using: &random)).map { _ in
      let isAsPlanned = Bool.random(using: &random)
      return Verification.Finding(
        isAsPlanned: isAsPlanned, isUntouched: !isAsPlanned && Bool.random(using: &random),
        state: isAsPlanned ? "installed" : "half-configured", version: "1.0")
    }
    let isAllDone = Int.random(in: 0..<3, using: &random) == 0
    let done = Array(
      repeating: Verification.Finding(
        isAsPlanned: true, isUntouched: false, state: "installed", version: "1.0"), count: 3)
    let marker = RebootMarker(isSet: Bool.random(using: &random), packages: ["p1", "zfs"])
    return .verified(
      Verification(
        findings: isAllDone ? done : findings, audit: Bool.random(using: &random) ? "" : "p1"),
      before: Bool.random(using: &random) ? nil : RebootMarker(isSet: false), after: marker)
  }

  private static func archives(_ random: inout Seeded) -> JobMachine.Input {
    let error = InstallationError(.hashMismatch, "another one")
    var findings: [Int: ArchiveFinding] = [:]
    for step in 0..<3 {
      findings[step] = [.present, .present, .kept, .absent(nil), .absent(error), .damaged(error)]
        .randomElement(using: &random)
    }
    return .archivesChecked(findings)
  }

  private static func input(_ random: inout Seeded) -> JobMachine.Input {
    let ops = JobMachineFixture.ops
    switch Int.random(in: 0..<42, using: &random) {
    case 0...3: return .begin
    case 4...7: return .started
    case 8: return .startFailed(InstallationError(.planOutOfDate, "moved"))
    case 9...22:
      return .reports((0..<Int.random(in: 1...3, using: &random)).map { _ in report(&random) })
    case 23:
      let stopped = Bool.random(using: &random)
      return .reports([.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: stopped))])
    case 24: return .reports(Bool.random(using: &random) ? [.abandoned, .lost] : [.lost])
    case 25: return .abort(by: ops)
    case 26: return .abortAnswered(answer(&random), by: ops)
    case 27: return .withdrawAbort(by: ops)
    case 28: return .withdrawAnswered(Bool.random(using: &random), by: ops)
    case 29: return .suspend(by: ops)
    case 30: return .suspendAnswered(answer(&random), by: ops)
    case 31, 32: return .resume
    case 33, 34: return verification(&random)
    case 35: return .silence(nil)
    case 36: return .cleanUp(by: ops)
    case 37: return .prioritize(Int.random(in: -3...3, using: &random), by: ops)
    case 39, 40: return archives(&random)
    case 38: return .lapse(isClockSound: Int.random(in: 0..<5, using: &random) > 0)
    default: return .reports([report(&random)])
    }
  }

  /// In plans of a few packages and of many, which are taken in differently.
  @Test(arguments: [3, 40], 1...3) func `what the journal refuses leaves no trace`(
    packages: Int, seed: UInt64
  ) {
    var random = Seeded(state: seed)
    var ends = 0
    for _ in 0..<60 {
      var plain = JobMachineFixture(
        steps: (0..<packages).map { "p\($0)" }, requested: ["p2", "p0"]
      ).machine
      var rehearsed = TransactionalMachine(plain)
      for second in 1...60 {
        let time = Timestamp(milliseconds: Int64(second) * 1000)
        // What is refused first is another input than the one that is taken.
        while Int.random(in: 0..<3, using: &random) == 0 {
          _ = try? rehearsed.prepare(Self.input(&random), at: time)
          rehearsed.rollBack()
        }
        let input = Self.input(&random)
        let actions = try? plain.handle(input, at: time)
        #expect((try? rehearsed.prepare(input, at: time)) == actions, "on \(input)")
        guard actions != nil else { continue }
        #expect(rehearsed.withSnapshot(\.self) == plain.snapshot, "on \(input)")
        rehearsed.commit()
        let machine = rehearsed.machine
        #expect(machine.snapshot == plain.snapshot && machine.state == plain.state, "on \(input)")
        #expect(machine.etaSeconds(at: time) == plain.etaSeconds(at: time))
        #expect(machine.nextLapse(at: time) == plain.nextLapse(at: time))
      }
      ends += plain.state == .ended ? 1 : 0
    }
    #expect(ends > 5, "jobs come to their end")
  }

  @Test(arguments: 1...4, [false, true])
  func `B25, C4, C5, R10: 5,000 random inputs break no promise`(
    seed: UInt64, isDownloadOnly: Bool
  ) {
    var random = Seeded(state: seed)
    var life = Life(archives: true, isDownloadOnly: isDownloadOnly)
    var lives = 1
    var sinceEnd = 0
    for _ in 0..<5000 {
      life.feed(Self.input(&random))
      if Int.random(in: 0..<60, using: &random) == 0, life.fixture.machine.state != .ended {
        life.recover()
      }
      sinceEnd += life.fixture.machine.state == .ended ? 1 : 0
      guard sinceEnd > 10 else { continue }
      life = Life(archives: lives.isMultiple(of: 2), isDownloadOnly: isDownloadOnly)
      lives += 1
      sinceEnd = 0
    }
    #expect(lives > 20, "jobs come to their end")
  }
}
