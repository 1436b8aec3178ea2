package import InstallJobs
internal import JobWire

/// What a subscription brings: rows of the snapshot, its end, then events in order.
///
/// Durable events are complete and in order, also for a reader that falls far behind: it is served
/// again from the journal. To be read by one task. Ends with an error when the engine goes away.
package struct EngineEvents: AsyncSequence, Sendable {
  /// One step of a subscription.
  package enum Element: Sendable, Hashable {
    /// Some jobs as they stand.
    case rows([JobSnapshot])
    /// All rows were given; events after `seq` follow.
    case rowsEnd(seq: Int)
    case event(JobEvent)
    /// Several jobs moved: progress events, in order.
    case ticks([JobEvent])
  }

  package typealias Failure = InstallationError

  /// The most elements that wait in memory; one may tell of more than a hundred jobs.
  static let bound = 512

  let connection: EngineConnection
  let parameters: SubscribeParameters
  let number: Int
  let stream: AsyncStream<Element>

  package func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Reads one subscription.
  package struct Iterator: AsyncIteratorProtocol {
    private let events: EngineEvents
    private var number: Int
    private var iterator: AsyncStream<Element>.Iterator
    /// The last durable event given; nil before the snapshot is complete.
    private var reached: Int?

    fileprivate init(_ events: EngineEvents) {
      self.events = events
      number = events.number
      iterator = events.stream.makeAsyncIterator()
      reached = events.parameters.from
    }

    package mutating func next() async throws(InstallationError) -> Element? {
      try await next(isolation: #isolation)
    }

    package mutating func next(isolation actor: isolated (any Actor)?)
      async throws(InstallationError) -> Element?
    {
      while true {
        if let element = await iterator.next(isolation: actor) {
          switch element {
          case .rowsEnd(let seq): reached = seq
          case .event(let event): reached = reached.map { Swift.max($0, event.seq) }
          // Progress repeats the number of the last durable event.
          case .rows, .ticks: break
          }
          return element
        }
        if Task.isCancelled { return nil }
        guard await events.connection.wasLagging(number) else {
          throw await events.connection.reason
        }
        var parameters = events.parameters
        parameters.from = reached
        if reached != nil { parameters.plans = nil }
        let (number, stream) = try await events.connection.open(parameters)
        self.number = number
        iterator = stream.makeAsyncIterator()
      }
    }
  }
}
