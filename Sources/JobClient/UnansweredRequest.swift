internal import InstallJobs
internal import JobWire

/// A request whose wait ended without a reply.
struct UnansweredRequest: Sendable {
  /// The method of the request.
  var method: String
  /// Whether the request changes something.
  var acts: Bool
  /// The engine's socket.
  var path: String
  /// Whether the request was sent, at least in part.
  var isSent: Bool

  init(_ type: any WireRequest.Type, path: String, isSent: Bool) {
    method = type.method
    acts = type.kind == .act
    self.path = path
    self.isSent = isSent
  }

  /// The reason for the end of the wait.
  enum Reason: Sendable, Hashable {
    /// The task that waited was cancelled.
    case cancelled
    /// The engine did not answer within this time.
    case timedOut(Duration)
    /// The connection ended.
    case lost
  }

  /// The error for the caller.
  func error(_ reason: Reason) -> InstallationError {
    var error =
      switch reason {
      case .cancelled: cancelled
      case .timedOut(let wait): timedOut(wait)
      case .lost: lost
      }
    error.mayHaveBeenDone = isSent && acts
    return error
  }

  private var lost: InstallationError {
    InstallationError(
      .engineUnreachable,
      "the engine at '\(path)' went away before it answered"
        + (isSent ? "" : "; '\(method)' was not sent"), class: .transient,
      hint: isSent && acts
        ? "jobs go on without it; when it is back, see whether that was done"
        : "jobs go on without it; ask again when it is back")
  }

  private var cancelled: InstallationError {
    guard isSent else {
      return InstallationError(
        .cancelled, "'\(method)' was cancelled before the engine was asked",
        class: .transient, hint: "nothing was done; ask again")
    }
    return InstallationError(
      .cancelled,
      "the wait for the engine's answer to '\(method)' was cancelled"
        + (acts ? "; whether it was done is not known" : ""), class: .transient, hint: hint)
  }

  private func timedOut(_ wait: Duration) -> InstallationError {
    let doubt =
      !isSent
      ? "; the request was not sent"
      : acts ? "; whether it was done is not known" : ": it may be stopped or overloaded"
    return InstallationError(
      .timedOut,
      "the engine at '\(path)' did not answer to '\(method)' within \(wait.inWords)"
        + doubt, class: .transient,
      hint: isSent && acts ? hint : "look at its process, and ask again")
  }

  private var hint: String {
    acts
      ? "when the engine answers again, look at its jobs before you ask again" : "ask again"
  }
}

extension Duration {
  /// Text in whole seconds; in milliseconds below one second.
  fileprivate var inWords: String {
    let milliseconds = Int((self / .milliseconds(1)).rounded())
    return milliseconds < 1000
      ? "\(milliseconds) ms" : "\(Int((Double(milliseconds) / 1000).rounded())) s"
  }
}
