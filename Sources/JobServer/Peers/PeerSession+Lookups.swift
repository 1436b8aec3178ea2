internal import InstallJobs
internal import JobTransport
internal import JobWire

// Requests that wait for a plan and change nothing: they hold up no other request of the connection, and
// are ended when nobody waits for their answers.
extension PeerSession {
  /// A request that waits for a plan.
  struct Lookup: Sendable {
    /// Its id on the wire; nil for a notification.
    let id: RequestID?
    let task: Task<Void, Never>
  }

  func startLookup(
    _ request: WireRequest, id: RequestID?, readOnly: Bool, in handlers: inout DiscardingTaskGroup
  ) {
    let most = isLooker ? limits.outstandingLookupsOfLooker : limits.outstandingLookups
    guard lookups.count < most else {
      return answer(
        id,
        WireFault(
          InstallationError(
            .busy,
            "not permitted now: \(lookups.count) requests of this connection wait for a plan already",
            class: .transient, hint: "wait for their answers, then ask again")))
    }
    outstanding += 1
    lastLookup += 1
    let number = lastLookup
    let task = Task { await perform(request, id: id, readOnly: readOnly, lookup: number) }
    lookups[number] = Lookup(id: id, task: task)
    handlers.addTask {
      await task.value
      await self.lookupEnded()
    }
  }

  private func lookupEnded() {
    makeRoom()
    waker.yield()
  }

  func cancelLookups() {
    for lookup in lookups.values { lookup.task.cancel() }
  }

  /// Cancels lookups of this connection that the peer does not wait for any more.
  ///
  /// - Parameters:
  ///   - parameters: Which; an id that names no lookup changes nothing.
  ///   - id: The id of the request to cancel; nil for a notification, which is not answered.
  func cancelLookup(_ parameters: CancelParameters, id: RequestID?) {
    for lookup in lookups.values where lookup.id == parameters.id { lookup.task.cancel() }
    guard let id, let message = try? codec.reply(id, EmptyReply()) else { return }
    answer(message)
  }

  /// Ends the lookups once nothing more is read: at once where the peer is gone; after the time for the
  /// last answers where it only stopped sending.
  func endLookups() {
    guard !lookups.isEmpty else { return }
    guard !connection.isHungUp else { return cancelLookups() }
    let limit = limits.flushSeconds
    lookupTimer = Task { [weak self] in
      try await Task.sleep(for: .seconds(limit))
      await self?.cancelLookups()
    }
  }
}
