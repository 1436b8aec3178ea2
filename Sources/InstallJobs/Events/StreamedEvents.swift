/// Reads the events of an engine in this process: the elements known at the start, then a stream.
package struct StreamedEvents: EngineEventReader {
  private var first: ArraySlice<EngineEvents.Element>
  private var pending: ArraySlice<JobEvent> = []
  private var batches: AsyncStream<[JobEvent]>.Iterator
  private let selection: EventSelection

  /// - Parameters:
  ///   - first: The elements before the stream.
  ///   - batches: Events of all jobs, in order.
  ///   - selection: Selects the events of `batches` to return.
  package init(
    _ first: [EngineEvents.Element], then batches: AsyncStream<[JobEvent]>,
    _ selection: EventSelection
  ) {
    self.first = first[...]
    self.batches = batches.makeAsyncIterator()
    self.selection = selection
  }

  package mutating func next(
    isolation actor: isolated (any Actor)?
  ) async throws(InstallationError) -> EngineEvents.Element? {
    if let element = first.popFirst() { return element }
    while true {
      while let event = pending.popFirst() {
        guard selection.includes(event) else { continue }
        return event.payload.isProgress ? .progress([event]) : .event(event)
      }
      if let batch = await batches.next(isolation: actor) {
        pending = batch[...]
        continue
      }
      if Task.isCancelled { return nil }
      throw InstallationError(.engineUnreachable, "the engine ended", class: .transient)
    }
  }
}

extension EventSelection {
  /// Whether the selection includes an event.
  package func includes(_ event: JobEvent) -> Bool {
    guard let jobs else { return true }
    guard let job = event.job else { return includesQueue }
    return jobs.contains(job)
  }
}

extension JobEvent.Payload {
  fileprivate var isProgress: Bool {
    if case .progress = self { true } else { false }
  }
}
