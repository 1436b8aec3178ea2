internal import Logging
internal import Synchronization

/// Logs what peers cause, at most once in a while for each kind and user; what was left out is said
/// later with its count.
final class PeerNotices: Sendable {
  private let logger: Logger
  private let window: Duration
  private let limit = Mutex(NoticeLimit())

  /// - Parameters:
  ///   - logger: Where the notices go.
  ///   - window: How long notices of one subject are counted together.
  init(logger: Logger, window: Duration = .seconds(60)) {
    self.logger = logger
    self.window = window
  }

  /// Logs a notice about a user, or counts it.
  func post(_ kind: NoticeKind, uid: UInt32) {
    guard let subject = limit.withLock({ $0.begin(kind, uid) }) else { return }
    logger.notice("\(kind.rawValue)", metadata: Self.metadata(of: subject))
    endLater(subject)
  }

  private func endLater(_ subject: NoticeLimit.Subject) {
    Task { [weak self, window] in
      try? await Task.sleep(for: window)
      self?.end(subject)
    }
  }

  private func end(_ subject: NoticeLimit.Subject) {
    let count = limit.withLock { $0.end(subject) }
    guard count > 0 else { return }
    logger.notice(
      "\(count) times more: \(subject.kind.rawValue)", metadata: Self.metadata(of: subject))
    endLater(subject)
  }

  private static func metadata(of subject: NoticeLimit.Subject) -> Logger.Metadata {
    ["uid": "\(subject.uid.map(String.init) ?? "others")"]
  }
}
