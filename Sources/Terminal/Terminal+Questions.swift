import CNcurses

/// What the terminal is asked once, at the start: in one go, without waiting for the answers.
extension Terminal {
  /// Begins a frame that is to be shown when it is whole.
  static let frameBegin = Array("\u{1b}[?2026h".utf8)
  /// Ends it.
  static let frameEnd = Array("\u{1b}[?2026l".utf8)

  /// Types whose terminals show a question as text, or may.
  private static let deaf = [
    "linux", "vt", "ansi", "cons", "dumb", "sun", "cygwin", "hurd", "mach", "pcansi", "Eterm",
    "wsvt",
  ]

  /// Asks for the background, for frames held until they are whole, and last for something that
  /// every terminal answers: that answer says that no other will come.
  func ask() {
    guard options.asksTerminal, isANSI,
      !Self.deaf.contains(where: { capabilities.type.hasPrefix($0) })
    else { return }
    decoder.expectsReplies = true
    replyDeadline = ContinuousClock.now + Self.answerTimeout(isRemote: capabilities.isRemote)
    write(Array("\u{1b}]11;?\u{1b}\\\u{1b}[?2026$p\u{1b}[c".utf8))
  }

  /// How long an answer is of use; nothing waits meanwhile.
  private static func answerTimeout(isRemote: Bool) -> Duration {
    isRemote ? .seconds(1) : .milliseconds(100)
  }

  /// Tells the answers when all have come; those that come too late change nothing.
  func noticeReplies() {
    guard let deadline = replyDeadline, !decoder.expectsReplies else { return }
    replyDeadline = nil
    guard state == .active, ContinuousClock.now <= deadline, !decoder.replies.isEmpty else {
      return
    }
    holdsFrames = decoder.replies.hasSynchronizedFrames
    queue.push(.replies(decoder.replies))
  }

  /// Takes answers in that are under way when the terminal is given back, within their time: the
  /// shell would take them for something typed.
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
