/// Events between the terminal and its one reader.
///
/// Unlike a stream's own buffer it can take input
/// back that nobody has read yet.
@MainActor
final class EventQueue: Sendable {
  private var waiting: [TerminalEvent] = []
  private var reader: CheckedContinuation<TerminalEvent?, Never>?
  private var isFinished = false

  /// The events as a sequence; one reader only.
  nonisolated var stream: AsyncStream<TerminalEvent> {
    AsyncStream(unfolding: { await self.next() }, onCancel: { Task { await self.finish() } })
  }

  func push(_ event: TerminalEvent) {
    guard !isFinished else { return }
    if let reader {
      self.reader = nil
      reader.resume(returning: event)
    } else if case .resize = event, case .resize = waiting.last {
      waiting[waiting.count - 1] = event
    } else {
      waiting.append(event)
    }
  }

  func finish() {
    isFinished = true
    reader?.resume(returning: nil)
    reader = nil
  }

  /// Takes back keys and pastes that nobody has read.
  func removeInput() {
    waiting.removeAll { event in
      switch event {
      case .key, .paste: true
      case .resize, .resumed, .hangup, .terminate: false
      }
    }
  }

  private func next() async -> TerminalEvent? {
    if !waiting.isEmpty { return waiting.removeFirst() }
    guard !isFinished, reader == nil else { return nil }
    return await withCheckedContinuation { reader = $0 }
  }
}
