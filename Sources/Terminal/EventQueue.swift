/// Events between the terminal and its one reader.
///
/// Unlike a stream's own buffer it can take input
/// back that nobody has read yet.
@MainActor
final class EventQueue: Sendable {
  private var waiting: [TerminalEvent] = []
  private var reader: CheckedContinuation<Void, Never>?
  private var isFinished = false

  /// The events as a sequence; one reader only.
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

  /// Takes back what was typed, pasted or clicked and nobody has read.
  func removeInput() {
    waiting.removeAll { event in
      switch event {
      case .key, .paste, .mouse: true
      case .replies, .resize, .resumed, .hangup, .terminate: false
      }
    }
  }

  /// Waits for the next event.
  ///
  /// The reader takes it out itself when it has woken: until then `removeInput` reaches it.
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
