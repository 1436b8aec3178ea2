internal import InstallJobs
internal import JobWire

extension PeerSession {
  func subscribe(_ parameters: SubscribeParameters, id: RequestID?) async throws {
    guard feeds.count < limits.subscriptions else {
      throw InstallationError(
        .invalidState, "one connection has at most \(limits.subscriptions) subscriptions",
        class: .fatal, hint: "unsubscribe first")
    }
    let (start, events) = try await SubscriptionFeed.open(parameters, of: engine)
    // Nobody would ever end what begins after the connection has.
    guard isOpen, feeds.count < limits.subscriptions else { throw CancellationError() }
    lastFeed += 1
    let number = lastFeed
    var feed = start
    feed.number = number
    feed.pump = Task {
      for await batch in events { self.deliver(batch, to: number) }
    }
    // From here on without a pause: the answer goes out before the first row.
    answer(try codec.reply(id, SubscribeReply(subscription: number, seq: feed.seq)))
    feeds.append(feed)
    waker.yield()
  }

  func unsubscribe(_ it: UnsubscribeParameters) throws(InstallationError) -> EmptyReply {
    guard let index = feeds.firstIndex(where: { $0.number == it.subscription }) else {
      throw InstallationError(
        .invalidArgument, "there is no subscription \(it.subscription)", class: .fatal)
    }
    feeds.remove(at: index).pump?.cancel()
    return EmptyReply()
  }

  private func deliver(_ batch: [JobEvent], to number: Int) {
    guard let index = feeds.firstIndex(where: { $0.number == number }) else { return }
    for event in batch { feeds[index].backlog.push(event) }
    waker.yield()
  }
}
