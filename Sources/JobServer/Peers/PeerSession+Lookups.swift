internal import InstallJobs
internal import JobTransport
internal import JobWire

// Lookups: requests that wait for a plan and change nothing. They do not delay other requests of
// the connection, and are cancelled when the peer no longer waits for the reply.
extension PeerSession {
  /// A request that waits for a plan.
  struct Lookup: Sendable {
    /// Its id on the wire; nil for a notification.
    let id: RequestID?
    let task: Task<Void, Never>
  }

  func startLookup(
    _ request: any WireRequest, id: RequestID?, readOnly: Bool,
    in handlers: inout DiscardingTaskGroup
  ) {
    let most = isViewer ? limits.outstandingViewerLookups : limits.outstandingLookups
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

  /// Cancels lookups of this connection at the peer's request.
  ///
  /// - Parameters:
  ///   - request: The id of the lookup; an unknown id changes nothing.
  ///   - id: The id of the cancel request itself; nil for a notification, which gets no reply.
  func cancelLookup(_ request: CancelRequest, id: RequestID?) {
    for lookup in lookups.values where lookup.id == request.id { lookup.task.cancel() }
    guard let id, let message = try? codec.reply(id, EmptyReply()) else { return }
    answer(message)
  }

  /// Ends the lookups after the last line was read: at once if the peer has hung up, after
  /// ``ServerLimits/flushSeconds`` if the peer only stopped sending.
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
