internal import InstallJobs
internal import JobTransport
internal import JobWire

// Requests that wait for a plan and change nothing: they hold up no other request of the connection, and
// are ended when nobody waits for their answers.
extension PeerSession {
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
    let task = Task { await perform(request, id: id, readOnly: readOnly) }
    lookups[number] = task
    handlers.addTask {
      await task.value
      await self.forgetLookup(number)
    }
  }

  private func forgetLookup(_ number: Int) {
    lookups[number] = nil
    makeRoom()
    waker.yield()
  }

  func cancelLookups() {
    for task in lookups.values { task.cancel() }
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
