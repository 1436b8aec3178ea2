internal import InstallJobs
internal import JobTransport
internal import JobWire
internal import Logging

// Replies are sent before events. The subscriptions are served round-robin.
extension PeerSession {
  func answer(_ id: RequestID?, _ fault: WireFault) {
    guard let message = try? codec.reply(id, fault) else { return }
    answer(message)
  }

  func answer(_ message: [UInt8]) {
    if case .closed = phase { return }
    guard budget.reserve(message.count) else {
      notices.post(.bufferFull, uid: peer.uid)
      return close()
    }
    replies.append(message)
    replyBytes += message.count
    hasUsedLargeBuffers = hasUsedLargeBuffers || replyBytes > Self.largeBufferBytes
    waker.yield()
  }

  func waitForRoom() async {
    let most = isViewer ? limits.outstandingViewerRequests : limits.outstandingRequests
    while outstanding - lookups.count >= most || replyBytes > limits.waitingReplyBytes {
      if case .closed = phase { return }
      await withCheckedContinuation { roomWaiter = $0 }
    }
  }

  func makeRoom() {
    roomWaiter?.resume()
    roomWaiter = nil
  }

  func write() async {
    var wake = wakes.makeAsyncIterator()
    while true {
      do {
        let bytes = try await bytesInTurn()
        if !bytes.isEmpty {
          try await connection.send(bytes)
          makeRoom()
          continue
        }
      } catch {
        logger.debug("writing ended: \(error)")
        break
      }
      if case .closing = phase, outstanding == 0 { break }
      if case .closed = phase { break }
      _ = await wake.next()
    }
    close()
  }

  /// As ``nextBytes()``; waits for a turn in ``ViewerQueue`` if the user is view-only.
  private func bytesInTurn() async throws -> [UInt8] {
    guard isViewer, !feeds.isEmpty else { return try await nextBytes() }
    let result = await turns.run(of: SeatTable.origin(of: peer.uid, as: seatClass)) {
      () async -> Result<[UInt8], any Error> in
      do { return .success(try await self.nextBytes()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Bytes for one write: all lines that are ready, up to about 64 KiB.
  private func nextBytes() async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < 64 << 10 {
      if !replies.isEmpty {
        let message = replies.removeFirst()
        replyBytes -= message.count
        budget.release(message.count)
        for line in try codec.lines(of: message) { bytes += line }
      } else if let notification = try await nextNotification() {
        for line in try codec.lines(of: try codec.notification(notification)) { bytes += line }
      } else {
        break
      }
    }
    return bytes
  }

  /// The next notification of any subscription, round-robin; nil if there is none.
  private func nextNotification() async throws -> WireNotification? {
    guard isOpen else { return nil }
    for _ in feeds.indices {
      guard let first = feeds.first else { return nil }
      feeds.append(feeds.removeFirst())
      let number = first.number
      guard var index = feeds.firstIndex(where: { $0.number == number }) else { continue }
      switch feeds[index].next(joiningTicks: codec.writesTicks) {
      case .notification(let notification): return notification
      case .idle: continue
      case .fetch(let seq):
        let events = try await engine.events(after: seq, limit: 256)
        // The list of subscriptions may have changed while the journal was read.
        guard let now = feeds.firstIndex(where: { $0.number == number }) else { continue }
        index = now
        guard feeds[index].backlog.appendFetched(events) else {
          throw InstallationError(
            .journal, "the journal has no event after \(seq)", class: .fatal)
        }
        waker.yield()
        if case .notification(let notification) = feeds[index].next(
          joiningTicks: codec.writesTicks)
        {
          return notification
        }
      }
    }
    return nil
  }
}
