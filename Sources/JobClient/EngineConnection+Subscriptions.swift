package import InstallJobs
internal import JobTransport
package import JobWire

extension EngineConnection {
  /// Subscribes to jobs and events.
  ///
  /// - Parameters:
  ///   - request: The jobs and events to follow.
  ///   - isReserved: Whether this is a subscription that all followed jobs share. All other
  ///     subscriptions count towards ``StreamSeats/limit`` as long as their readers exist.
  /// - Returns: A sequence of the jobs' snapshots, followed by events.
  /// - Throws: `busy` at the limit; `invalidArgument` for an event number beyond the end or the
  ///   epoch of another journal; `unknownJob`; the errors of ``ask(_:)``.
  package func subscribe(
    _ request: SubscribeRequest = SubscribeRequest(), isReserved: Bool = false
  ) async throws(InstallationError) -> EngineEvents {
    let seat = isReserved ? nil : seats.seat()
    guard isReserved || seat != nil else {
      throw InstallationError(
        .busy,
        "one session reads at most \(StreamSeats.limit) streams of events and logs at the same time",
        class: .transient, hint: "end one of them, or open another session for more")
    }
    let (number, stream) = try await open(request)
    return EngineEvents {
      SubscriptionReader(self, request, number: number, stream: stream, seat: seat)
    }
  }

  func open(_ request: SubscribeRequest)
    async throws(InstallationError) -> (Int, AsyncStream<EngineEvents.Element>)
  {
    let (stream, continuation) = AsyncStream.makeStream(
      of: EngineEvents.Element.self, bufferingPolicy: .bufferingOldest(SubscriptionReader.bound))
    let reply = try await exchange(request, feed: continuation)
    let number = try decode(SubscribeRequest.Reply.self, reply).subscription
    continuation.onTermination = { [weak self] reason in
      guard case .cancelled = reason else { return }
      Task { await self?.unsubscribe(number) }
    }
    return (number, stream)
  }

  /// Whether the subscription ended because its reader was too slow.
  func removeLagging(_ number: Int) -> Bool { laggingFeeds.remove(number) != nil }

  private func unsubscribe(_ number: Int) {
    feeds[number] = nil
    sendUnsubscribe(number)
  }

  /// Ends a subscription at the engine.
  ///
  /// The reply is ignored.
  private func sendUnsubscribe(_ number: Int) {
    guard failure == nil else { return }
    lastID += 1
    let request = OutgoingRequest(
      id: .number(lastID), UnsubscribeRequest(number))
    do {
      outbox.append(try codec.request(request) + [0x0A], as: lastID)
    } catch {
      // Otherwise the engine would keep sending events without a reader.
      fail(InstallationError(.internal, "a request cannot be written: \(error)", class: .fatal))
    }
  }

  /// Drops a late reply.
  ///
  /// If it opens a subscription, ends that subscription.
  func dropLate(_ reply: [UInt8], to id: Int, _ fault: WireFault?) {
    guard unwantedSubscriptions.remove(id) != nil, fault == nil,
      let number = try? codec.result(SubscribeRequest.Reply.self, of: reply).subscription
    else { return }
    unsubscribe(number)
  }

  func receive(_ notification: WireNotification) {
    switch notification {
    case .event(let number, let event): deliver(.event(event), to: number)
    case .ticks(let number, let events): deliver(.progress(events), to: number)
    case .snapshot(let number, let jobs): deliver(.jobs(jobs), to: number)
    case .snapshotEnd(let number, let seq): deliver(.jobsEnd(seq: seq), to: number)
    case .part, .unknown: break
    }
  }

  private func deliver(_ element: EngineEvents.Element, to number: Int) {
    guard let feed = feeds[number] else { return }
    guard case .dropped = feed.yield(element) else { return }
    // The reader is too slow: it reads the buffered elements, then subscribes again from its last
    // event.
    laggingFeeds.insert(number)
    feeds[number] = nil
    // Sent before the reader subscribes again, because the engine counts both subscriptions.
    sendUnsubscribe(number)
    feed.finish()
  }

  /// Registers the receiver of a subscription at once, because the first row may be the next line.
  func register(_ feed: AsyncStream<EngineEvents.Element>.Continuation, from reply: [UInt8]) {
    guard let number = try? codec.result(SubscribeRequest.Reply.self, of: reply).subscription
    else { return }
    feeds[number] = feed
  }

  /// Finishes all subscriptions at the end of the connection.
  func endSubscriptions() {
    unwantedSubscriptions = []
    for feed in feeds.values { feed.finish() }
    feeds = [:]
  }
}
