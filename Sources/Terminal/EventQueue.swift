/// The queue of events between the terminal and its single reader.
///
/// Unlike the buffer of an `AsyncStream`, it can drop input that has not been read yet.
@MainActor
final class EventQueue: Sendable {
  private var waiting: [TerminalEvent] = []
  private var reader: CheckedContinuation<Void, Never>?
  private var isFinished = false

  /// The events as a sequence, for a single reader.
  nonisolated var stream: AsyncStream<TerminalEvent> {
    AsyncStream(unfolding: { await self.next() }, onCancel: { Task { await self.finish() } })
  }

  func push(_ event: TerminalEvent) {
    guard !isFinished else { return }
    if case .resize = event, case .resize = waiting.last {
      waiting[waiting.count - 1] = event
    } else {
      waiting.append(event)
    }
    wakeReader()
  }

  func finish() {
    isFinished = true
    wakeReader()
  }

  /// Removes keys, pastes and mouse events that have not been read.
  func removeInput() {
    waiting.removeAll { event in
      switch event {
      case .key, .paste, .mouse: true
      case .replies, .resize, .resumed, .hangup, .terminate: false
      }
    }
  }

  /// Waits for the next event; nil after the last one.
  ///
  /// The reader removes the event itself after it has woken, so that `removeInput` still reaches
  /// the event until then.
  func next() async -> TerminalEvent? {
    while waiting.isEmpty {
      guard !isFinished, reader == nil else { return nil }
      await withCheckedContinuation { reader = $0 }
    }
    return waiting.removeFirst()
  }

  private func wakeReader() {
    reader?.resume()
    reader = nil
  }
}
