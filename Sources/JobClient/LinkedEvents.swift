internal import InstallJobs

/// Reads the events of an engine over a link.
///
/// After a reconnect it continues behind the last durable event.
struct LinkedEvents: EngineEventReader {
  private let link: EngineLink
  private var selection: EventSelection
  private var events: EngineEvents.Iterator
  private var generation: Int
  /// The last durable event delivered; nil before the snapshot is complete.
  private var reached: Int?

  init(
    _ events: EngineEvents.Iterator, _ selection: EventSelection, over link: EngineLink,
    _ generation: Int
  ) {
    self.events = events
    self.selection = selection
    self.link = link
    self.generation = generation
    reached = selection.after
  }

  mutating func next(
    isolation actor: isolated (any Actor)?
  ) async throws(InstallationError) -> EngineEvents.Element? {
    while true {
      do throws(InstallationError) {
        let element = try await events.next(isolation: actor)
        switch element {
        case .jobsEnd(let seq)?: reached = seq
        case .event(let event)?: reached = reached.map { max($0, event.seq) }
        case .jobs?, .progress?, nil: break
        }
        return element
      } catch {
        if Task.isCancelled { return nil }
        guard error.code == .engineUnreachable || error.code == .timedOut else { throw error }
        await link.reconnect(generation)
      }
      if try await !resume() { return nil }
    }
  }

  /// Subscribes again at the reconnected engine; returns false if the task is cancelled.
  private mutating func resume() async throws(InstallationError) -> Bool {
    selection.after = reached
    if reached != nil { selection.includesPlans = false }
    while true {
      do throws(InstallationError) {
        let (engine, generation) = try await link.engine(within: nil)
        self.generation = generation
        events = try await engine.events(selection).makeAsyncIterator()
        return true
      } catch {
        if Task.isCancelled { return false }
        guard error.code == .engineUnreachable || error.code == .timedOut, await link.isReconnecting
        else { throw error }
        await link.reconnect(generation)
      }
    }
  }
}
