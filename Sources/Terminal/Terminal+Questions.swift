import CNcurses

/// The queries to the terminal: sent once at the start, together, without waiting for the replies.
extension Terminal {
  /// Begins a synchronized frame, which the terminal shows when it is complete.
  static let frameBegin = Array("\u{1b}[?2026h".utf8)
  /// Ends a synchronized frame.
  static let frameEnd = Array("\u{1b}[?2026l".utf8)

  /// Terminal types that show, or may show, a query as text.
  private static let typesWithoutReplies = [
    "linux", "vt", "ansi", "cons", "dumb", "sun", "cygwin", "hurd", "mach", "pcansi", "Eterm",
    "wsvt",
  ]

  /// Queries the background colour, then support for synchronized frames, and last the device
  /// attributes.
  ///
  /// Every terminal replies to the last query, so its reply marks the end of all replies.
  func ask() {
    guard options.asksTerminal, isANSI,
      !Self.typesWithoutReplies.contains(where: { capabilities.type.hasPrefix($0) })
    else { return }
    decoder.expectsReplies = true
    replyDeadline = ContinuousClock.now + Self.answerTimeout(isRemote: capabilities.isRemote)
    write(Array("\u{1b}]11;?\u{1b}\\\u{1b}[?2026$p\u{1b}[c".utf8))
  }

  /// How long replies are accepted; nothing waits for them meanwhile.
  private static func answerTimeout(isRemote: Bool) -> Duration {
    isRemote ? .seconds(1) : .milliseconds(100)
  }

  /// Publishes the replies when all have come; late replies are ignored.
  func noticeReplies() {
    guard let deadline = replyDeadline, !decoder.expectsReplies else { return }
    replyDeadline = nil
    guard state == .active, ContinuousClock.now <= deadline, !decoder.replies.isEmpty else {
      return
    }
    holdsFrames = decoder.replies.hasSynchronizedFrames
    queue.push(.replies(decoder.replies))
  }

  /// Reads pending replies before the terminal is given back, until their time-out; otherwise the
  /// shell would read them as typed input.
  func awaitReplies() {
    guard state == .active, let deadline = replyDeadline else { return }
    while decoder.expectsReplies, cn_poll(options.input) != cn_gone {
      let rest = (deadline - .now) / .milliseconds(1)
      guard rest > 0 else { return }
      cn_wait(options.input, Int32(rest.rounded(.up)))
      readWaitingInput { _ in }
    }
  }
}
