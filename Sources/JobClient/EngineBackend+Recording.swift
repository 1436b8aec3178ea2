package import InstallJobs
internal import JobWire

extension EngineBackend {
  package func events(
    of id: JobID, after seq: Int = 0
  ) async throws(InstallationError) -> RecordedEvents {
    guard connection.hello.capabilities.contains(WireProtocol.events) else {
      throw InstallationError(
        .protocolMismatch, "the engine is too old to tell what happened to job \(id)",
        class: .fatal,
        hint: "use the same version on both sides; its record and its log tell how it ended")
    }
    let (reply, bytes) = try await connection.askMeasured(EventsRequest(id, after: seq))
    // Without progress in the reply, the caller would ask again forever.
    let isWhole =
      reply.isWhole || reply.next <= seq || reply.events.isEmpty && reply.leftOut == 0
    return RecordedEvents(
      events: reply.events, leftOut: reply.leftOut, next: isWhole ? nil : reply.next, bytes: bytes)
  }
}
