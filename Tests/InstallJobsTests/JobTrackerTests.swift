import Support
import Testing

@testable import InstallJobs

@Suite struct `How a followed job stands` {
  /// Updates whose results are kept in several pieces, the first of which is named twice.
  private let names = (0..<100).map { "p\($0)" } + ["p0"]

  private func snapshot() -> JobSnapshot {
    let distinct = names.dropLast().map { Update($0) }
    let steps = distinct.map {
      PlannedUpdate(name: $0.name, architecture: "all", action: .install, toVersion: "1")
    }
    let plan = JobPlan(
      requests: distinct.enumerated().map { .init(update: $1, step: $0) }, steps: steps)
    return JobSnapshot(
      id: JobID(1), request: JobRequest(.install, distinct), plan: plan,
      requestedBy: Requester(uid: 0, user: "root"), provider: "test",
      submittedAt: Timestamp(milliseconds: 0))
  }

  private func event(_ payload: JobEvent.Payload) -> JobEvent {
    JobEvent(seq: 1, at: Timestamp(milliseconds: 1), job: JobID(1), payload: payload)
  }

  private func ended(_ step: Int, _ code: OperationResultCode) -> JobEvent {
    var status = snapshot().updates[step]
    status.phase = .done
    status.resultCode = code
    return event(.update(index: step, status: status))
  }

  /// The life of a job, each step of which fails or succeeds, in an order that is not that of work.
  private func events() -> [JobEvent] {
    var generator = RepeatableNumbers(seed: 7)
    var events = [
      event(.state(JobStateChange(.installing, abortPreview: .accepted(stopsAfter: "p0"))))
    ]
    for step in (0..<100).shuffled(using: &generator) {
      events.append(ended(step, step % 3 == 0 ? .failed : .succeeded))
      events.append(
        event(
          .progress(
            JobProgressTick(
              percentComplete: Double(events.count) / 4, currentUpdateIndex: step,
              currentStepIndex: step, downloadedBytes: 0, bytesPerSecond: nil, etaSeconds: nil,
              lastActivityAt: nil, isStalled: false, abortPreview: .accepted(stopsAfter: nil),
              steps: []))))
    }
    let outcome = JobOutcome(
      state: .completed, resultCode: .succeededWithErrors, percentComplete: 99, error: nil,
      requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [],
      updates: snapshot().updates)
    return events + [event(.completed(outcome))]
  }

  @Test func `progress after each event is that of the snapshot after the event`() {
    var snapshot = snapshot()
    let updates = RequestedUpdates(names.map { Update($0) }, of: snapshot)
    let tracker = JobTracker(snapshot)
    for event in events() {
      let before = tracker.progress(of: updates)
      snapshot.apply(event)
      let isOver = tracker.apply(event)
      #expect(isOver == snapshot.state.isFinal)
      let expected = InstallationProgress(
        snapshot, of: updates, results: updates.results(in: snapshot))
      #expect(tracker.progress(of: updates) == expected)
      #expect(tracker.progress(of: updates).updateResults.count == names.count)
      #expect(before != expected)
    }
    #expect(tracker.current.snapshot == snapshot)
    #expect(tracker.current.version == events().count)
  }

  @Test func `B11, C9: progress stays as it was when it was made`() throws {
    let tracker = JobTracker(snapshot())
    let updates = RequestedUpdates(names.map { Update($0) }, of: snapshot())
    let before = tracker.progress(of: updates)
    tracker.apply(ended(0, .failed))
    let after = tracker.progress(of: updates)
    // Both updates that the step serves, and no other.
    for index in names.indices {
      #expect(try before.updateResult(at: index).code == .notStarted)
      let isNamed = names[index] == "p0"
      #expect(try after.updateResult(at: index).code == (isNamed ? .failed : .notStarted))
    }
    #expect(before.updateResults.map(\.name) == names)
    #expect(throws: InstallationError.self) { try after.updateResult(at: names.count) }
    #expect(throws: InstallationError.self) { try after.updateResult(at: -1) }
  }

  @Test func `a result that changes leaves the others where they are in memory`() {
    func addresses(_ progress: InstallationProgress) -> [Int] {
      progress.results.pieces.map { piece in
        unsafe piece.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
      }
    }
    let tracker = JobTracker(snapshot())
    let updates = RequestedUpdates(names.map { Update($0) }, of: snapshot())
    let before = tracker.progress(of: updates)
    tracker.apply(ended(50, .succeeded))
    let after = tracker.progress(of: updates)
    let isSame = zip(addresses(before), addresses(after)).map { $0 == $1 }
    #expect(isSame == [true, false, true, true])
    // An event that changes no result copies nothing.
    tracker.apply(ended(50, .succeeded))
    #expect(addresses(tracker.progress(of: updates)) == addresses(after))
  }

  @Test func `a snapshot without a plan leaves the plan that is known`() {
    let tracker = JobTracker(snapshot())
    tracker.replace(with: snapshot().withoutPlan)
    #expect(tracker.current.snapshot.plan?.count == 100)
    let next = JobTracker(snapshot().withoutPlan)
    next.addPlan(of: tracker)
    #expect(next.current.snapshot.plan?.count == 100)
  }
}

@Suite struct `The sequence of a job's snapshots` {
  private let snapshot = JobSnapshot(
    id: JobID(1), request: JobRequest(.install, [Update("p1")]),
    plan: JobPlan(requests: [], steps: []), requestedBy: Requester(uid: 0, user: "root"),
    provider: "test", submittedAt: Timestamp(milliseconds: 0))

  private func state(_ state: JobState) -> JobEvent {
    JobEvent(
      seq: 1, at: Timestamp(milliseconds: 1), job: JobID(1),
      payload: .state(JobStateChange(state, abortPreview: .accepted(stopsAfter: nil))))
  }

  @Test func `gives the latest after the events that a reader missed, each once`() async throws {
    let (snapshots, source) = JobSnapshots.make()
    var reader = snapshots.makeAsyncIterator()
    source.yield(snapshot)
    #expect(try await reader.next()?.state == .queued)
    #expect(!source.apply(state(.downloading)))
    #expect(!source.apply(state(.installing)))
    #expect(try await reader.next()?.state == .installing)
    source.finish()
    #expect(try await reader.next() == nil)
  }

  @Test func `gives what came before an error, then the error once, then nothing`() async throws {
    let (snapshots, source) = JobSnapshots.make()
    var reader = snapshots.makeAsyncIterator()
    source.yield(snapshot)
    source.finish(throwing: InstallationError(.unknownJob, "gone", class: .fatal))
    #expect(try await reader.next()?.state == .queued)
    await #expect(throws: InstallationError.self) { try await reader.next() }
    #expect(try await reader.next() == nil)
  }

  @Test func `ignores events before its first snapshot`() async throws {
    let (snapshots, source) = JobSnapshots.make()
    #expect(!source.apply(state(.installing)))
    source.yield(snapshot)
    var reader = snapshots.makeAsyncIterator()
    #expect(try await reader.next()?.state == .queued)
  }
}
