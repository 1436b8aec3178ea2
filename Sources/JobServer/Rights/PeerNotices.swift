internal import Logging
internal import Synchronization

/// Logs notices about peers, at most one per kind and user in a window.
///
/// The number of omitted notices is logged at the end of the window.
final class PeerNotices: Sendable {
  private let logger: Logger
  private let window: Duration
  private let limit = Mutex(NoticeRateLimit())

  /// - Parameters:
  ///   - logger: The log for the notices.
  ///   - window: The length of a window.
  init(logger: Logger, window: Duration = .seconds(60)) {
    self.logger = logger
    self.window = window
  }

  /// Logs a notice about a user, or counts it if the window of its kind and user is open.
  func post(_ kind: NoticeKind, uid: UInt32) {
    guard let subject = limit.withLock({ $0.begin(kind, uid) }) else { return }
    logger.notice("\(kind.rawValue)", metadata: Self.metadata(of: subject))
    endLater(subject)
  }

  private func endLater(_ subject: NoticeRateLimit.Subject) {
    Task { [weak self, window] in
      try? await Task.sleep(for: window)
      self?.end(subject)
    }
  }

  private func end(_ subject: NoticeRateLimit.Subject) {
    let count = limit.withLock { $0.end(subject) }
    guard count > 0 else { return }
    logger.notice(
      "\(count) times more: \(subject.kind.rawValue)", metadata: Self.metadata(of: subject))
    endLater(subject)
  }

  private static func metadata(of subject: NoticeRateLimit.Subject) -> Logger.Metadata {
    ["uid": "\(subject.uid.map(String.init) ?? "others")"]
  }
}
