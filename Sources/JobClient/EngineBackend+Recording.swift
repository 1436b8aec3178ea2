package import InstallJobs
internal import JobWire

extension EngineBackend {
  /// A page of the durable events of one job, in order.
  package struct EventsPage: Sendable, Hashable {
    /// The events, each behind the one before it.
    package var events: [JobEvent]
    /// How many events of the page could not be read here and are left out.
    package var leftOut = 0
    /// The number behind which the next page begins; nil where nothing is behind this one.
    package var next: Int?
    /// Bytes that the page came in.
    package var bytes = 0
  }

  /// A page of the durable events of one job.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - seq: The number behind which the page begins; 0 for the beginning.
  /// - Returns: At most 256 events.
  /// - Throws: `unknownJob`; `invalidArgument` for a number beyond the last event;
  ///   `protocolMismatch` when the engine is too old to tell.
  package func events(
    of id: JobID, after seq: Int = 0
  ) async throws(InstallationError) -> EventsPage {
    guard connection.hello.capabilities.contains(WireProtocol.events) else {
      throw InstallationError(
        .protocolMismatch, "the engine is too old to tell what happened to job \(id)",
        class: .fatal,
        hint: "use the same version of fettle and fettled; 'fettle show \(id)' and"
          + " 'fettle log \(id)' tell how it ended")
    }
    let parameters = EventsParameters(job: id, after: seq)
    let (reply, bytes) = try await connection.askMeasured(
      .events(parameters), for: EventsReply.self)
    // An engine that gives nothing further on would be asked for ever.
    let isWhole =
      reply.isWhole || reply.next <= seq || reply.events.isEmpty && reply.leftOut == 0
    return EventsPage(
      events: reply.events, leftOut: reply.leftOut, next: isWhole ? nil : reply.next, bytes: bytes)
  }

  /// A job that is over, for its replay.
  ///
  /// - Throws: `unknownJob`; `invalidState` while the job is not over.
  package func endedJob(_ id: JobID) async throws(InstallationError) -> JobSnapshot {
    let job = try await job(id)
    guard job.state.isFinal else {
      throw InstallationError(
        .invalidState, "job \(id) is not over: there is nothing to replay yet", class: .transient,
        hint: "'fettle watch \(id)' shows it live")
    }
    return job
  }
}
