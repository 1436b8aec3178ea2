package import InstallJobs
internal import JobTransport
package import JobWire

extension EngineConnection {
  /// Sends a request and waits for the reply.
  ///
  /// - Throws: The engine's error; `engineUnreachable` if the engine goes away first; `timedOut` if
  ///   it does not answer; `cancelled` at once if the task is cancelled. After these three the
  ///   request may have been carried out, unless `mayHaveBeenDone` of the error is false.
  package func ask<Request: WireRequest>(
    _ request: Request
  ) async throws(InstallationError) -> Request.Reply {
    try await askMeasured(request).answer
  }

  /// Sends a request and returns the reply together with its size in bytes.
  func askMeasured<Request: WireRequest>(
    _ request: Request
  ) async throws(InstallationError) -> (answer: Request.Reply, bytes: Int) {
    let reply = try await exchange(request)
    return (try decode(Request.Reply.self, reply), reply.count)
  }

  func decode<Reply: Decodable>(
    _ type: Reply.Type, _ reply: [UInt8]
  ) throws(InstallationError) -> Reply {
    do {
      return try codec.result(type, of: reply)
    } catch {
      throw mismatch("an answer cannot be read")
    }
  }

  /// Sends a request and returns the line of the reply, which opens the subscription of `feed` if
  /// there is one.
  func exchange(
    _ request: some WireRequest, feed: AsyncStream<EngineEvents.Element>.Continuation? = nil
  ) async throws(InstallationError) -> [UInt8] {
    if let failure { throw failure }
    lastID += 1
    let id = lastID
    let message: [UInt8]
    do {
      message = try codec.request(OutgoingRequest(id: .number(id), request))
    } catch {
      throw InstallationError(.internal, "a request cannot be written: \(error)", class: .fatal)
    }
    guard message.count <= WireProtocol.maximumLine else {
      throw InstallationError(
        .invalidArgument,
        "a request has at most \(WireProtocol.maximumLine) bytes, this one has \(message.count)",
        class: .fatal,
        hint: request.updateCount > 1
          ? "name fewer of the \(request.updateCount) packages in one job, and the rest in others"
          : "ask for less at a time")
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<PendingRequests.Outcome, Never>) in
        // The cancellation handler of a task that is cancelled already has run before this point.
        guard !Task.isCancelled else {
          let unanswered = UnansweredRequest(type(of: request), path: path, isSent: false)
          return continuation.resume(returning: .failure(unanswered.error(.cancelled)))
        }
        pending.add(request, as: id, at: time.now(), feed: feed, continuation)
        outbox.append(message + [0x0A], as: id, in: Outbox.Lane(request))
        startTimer()
      }
    } onCancel: {
      Task { await self.endWait(for: id, .cancelled) }
    }
    return try result.get()
  }

  // MARK: Waits that end without an answer

  /// Ends the wait for a reply; does nothing if the reply has come.
  private func endWait(for id: Int, _ reason: UnansweredRequest.Reason) {
    guard let wait = pending.remove(id) else { return }
    let isSent = !outbox.remove(id)
    if isSent {
      if wait.feed != nil { unwantedSubscriptions.insert(id) }
      if wait.type.kind == .lookup { cancelAtEngine(id) }
    }
    let unanswered = UnansweredRequest(wait.type, path: path, isSent: isSent)
    wait.continuation.resume(returning: .failure(unanswered.error(reason)))
  }

  /// Asks the engine to cancel a lookup whose caller no longer waits.
  private func cancelAtEngine(_ id: Int) {
    guard hello.capabilities.contains(WireProtocol.cancel),
      let message = try? codec.request(OutgoingRequest(notifying: CancelRequest(.number(id))))
    else { return }
    lastID += 1
    outbox.append(message + [0x0A], as: lastID)
  }

  /// Number of pending requests.
  var waitCount: Int { pending.count }

  /// Starts the timer if it is not running.
  ///
  /// A new request does not reset the timer: with thousands of requests a second that would cost
  /// more than the requests.
  private func startTimer() {
    guard timer == nil else { return }
    timer = Task.detached { [weak self, time] in
      while let moment = await self?.nextTimeoutCheck() {
        guard (try? await time.sleep(moment)) != nil else { return }
        await self?.endOverdueWaits(at: moment)
      }
    }
  }

  /// The time of the next check for overdue requests; nil if none are pending, which ends the
  /// timer.
  private func nextTimeoutCheck() -> Duration? {
    let moment = pending.nextCheck(after: time.now())
    if moment == nil { timer = nil }
    return moment
  }

  private func endOverdueWaits(at moment: Duration) {
    let overdue = pending.overdue(
      plannedAt: moment, now: time.now(), arrivals: connection.limits.arrivals)
    for (id, waited) in overdue { endWait(for: id, .timedOut(waited)) }
  }
}

extension WireRequest {
  /// Number of updates in the request.
  fileprivate var updateCount: Int {
    switch self {
    case let request as PlanRequest: request.parameters.updates?.count ?? 0
    case let request as SubmitRequest: request.parameters.updates?.count ?? 0
    default: 0
    }
  }
}
