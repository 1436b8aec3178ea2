internal import InstallJobs
internal import JobWire

/// Reads one subscription of a connection.
///
/// A reader that falls far behind subscribes again from its last event.
struct SubscriptionReader: EngineEventReader {
  /// Largest number of elements that wait in memory.
  ///
  /// One element may concern more than a hundred jobs.
  static let bound = 512

  private let connection: EngineConnection
  private var parameters: SubscribeRequest
  private var number: Int
  private var iterator: AsyncStream<EngineEvents.Element>.Iterator
  /// The reader's seat among the streams of the connection.
  private let seat: StreamSeats.Seat?
  /// The last durable event delivered; nil before the snapshot is complete.
  private var reached: Int?

  init(
    _ connection: EngineConnection, _ parameters: SubscribeRequest, number: Int,
    stream: AsyncStream<EngineEvents.Element>, seat: StreamSeats.Seat?
  ) {
    self.seat = seat
    self.connection = connection
    self.parameters = parameters
    self.number = number
    iterator = stream.makeAsyncIterator()
    reached = parameters.from
  }

  mutating func next(
    isolation actor: isolated (any Actor)?
  ) async throws(InstallationError) -> EngineEvents.Element? {
    while true {
      if let element = await iterator.next(isolation: actor) {
        switch element {
        case .jobsEnd(let seq): reached = seq
        case .event(let event): reached = reached.map { max($0, event.seq) }
        // Progress repeats the number of the last durable event.
        case .jobs, .progress: break
        }
        return element
      }
      if Task.isCancelled { return nil }
      guard await connection.removeLagging(number) else { throw await connection.reason }
      parameters.from = reached
      if reached != nil { parameters.plans = nil }
      do throws(InstallationError) {
        let (number, stream) = try await connection.open(parameters)
        self.number = number
        iterator = stream.makeAsyncIterator()
      } catch {
        if Task.isCancelled { return nil }
        throw error
      }
    }
  }
}

extension SubscribeRequest {
  /// The subscribe parameters for a selection.
  init(_ selection: EventSelection) {
    self.init(
      from: selection.after, jobs: selection.jobs, plans: selection.includesPlans ? true : nil,
      queue: selection.includesQueue ? true : nil)
  }
}
