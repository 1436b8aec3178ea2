internal import InstallJobs
internal import JobWire

extension PeerSession {
  func subscribe(_ request: SubscribeRequest, id: RequestID?) async throws {
    try refuseSubscription()
    let (start, events) = try await SubscriptionFeed.open(
      request, of: engine, within: budget)
    try refuseSubscription()
    lastFeed += 1
    let number = lastFeed
    var feed = start
    feed.number = number
    hasUsedLargeBuffers = hasUsedLargeBuffers || feed.bytes > Self.largeBufferBytes
    feed.pump = Task {
      for await batch in events { self.deliver(batch, to: number) }
    }
    // No suspension point from here on: the reply must go out before the first row.
    answer(try codec.reply(id, SubscribeRequest.Reply(subscription: number, seq: feed.seq)))
    feeds.append(feed)
    waker.yield()
  }

  private func refuseSubscription() throws(InstallationError) {
    // A subscription begun after the end of its connection would never end.
    guard isOpen else {
      throw InstallationError(
        .invalidState, "the connection ends: no subscription begins", class: .transient)
    }
    guard feeds.count < limits.subscriptions else {
      throw InstallationError(
        .invalidState, "one connection has at most \(limits.subscriptions) subscriptions",
        class: .fatal, hint: "unsubscribe first")
    }
  }

  func unsubscribe(_ subscription: Int) throws(InstallationError) {
    guard let index = feeds.firstIndex(where: { $0.number == subscription }) else {
      throw InstallationError(
        .invalidArgument, "there is no subscription \(subscription)", class: .fatal)
    }
    feeds.remove(at: index).pump?.cancel()
  }

  private func deliver(_ batch: [JobEvent], to number: Int) {
    guard let index = feeds.firstIndex(where: { $0.number == number }) else { return }
    feeds[index].push(batch)
    waker.yield()
  }
}
