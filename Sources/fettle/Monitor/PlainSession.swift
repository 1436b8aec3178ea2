// On Linux, Dispatch does not declare its sources Sendable although they are thread-safe.
@unsafe @preconcurrency import Dispatch
import Glibc
import InstallJobs
import JobClient
import Monitor
import Settings
import Synchronization

/// The monitor as a conversation in lines, on a terminal without a screen (`--plain`, `TERM=dumb`).
@MainActor
final class PlainSession {
  private let mailbox = Mailbox()
  private let link: MonitorLink
  private let commands: AsyncStream<Intent>
  private let commandSink: AsyncStream<Intent>.Continuation
  private var conversation: PlainConversation
  private let time = MonotonicTime()
  private let preferences = MonitorPreferences()

  /// - Parameters:
  ///   - session: An open session.
  ///   - reason: Why this client must not change jobs; nil when it may.
  ///   - connect: Opens a new session.
  init(
    _ session: UpdateSession, readOnlyReason reason: String?,
    connect: @escaping @Sendable () async throws(InstallationError) -> UpdateSession
  ) {
    link = MonitorLink(session, mailbox: mailbox, connect: connect)
    (commands, commandSink) = AsyncStream.makeStream()
    let kept = preferences.shown(theme: preferences.settings.theme ?? "")
    conversation = PlainConversation(
      readOnlyReason: reason, timeOffset: LocalTime.offset, preferences: kept)
    conversation.advise(Report.advice)
    // This conversation shows no theme and must not store a changed one.
    preferences.lastTheme = kept.theme
    preferences.lastSlowLink = kept.isSlowLink
  }

  /// Whether standard input and output are a terminal.
  nonisolated static var isPossible: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
  }

  /// Runs until the user leaves or the input ends.
  func run() async {
    let listening = Task { [link] in await link.follow() }
    let typing = TypedLines { [mailbox] line in mailbox.post(.line(line)) }
    let asking = Task { [link, commands] in await link.perform(commands) }
    defer {
      listening.cancel()
      asking.cancel()
      typing.end()
    }
    let alarm = Alarm(mailbox, time)
    defer { alarm.set(nil) }
    Report.line(PlainConversation.greeting)
    for await _ in mailbox.wakeUps {
      var isQuestionNew = false
      for event in [.clock(time.now)] + mailbox.removeAll() where !(isQuestionNew && event.isInput)
      {
        if event.needsStatusRequest { Task { [link] in await link.poll() } }
        let answer = conversation.handle(event)
        if answer.interruptsPrompt { Report.line("") }
        Report.lines(answer.lines)
        for intent in answer.intents {
          switch intent {
          case .quit: return
          case .discardInput: isQuestionNew = true
          case .ringBell: Report.bell()
          case .keep(let wanted): preferences.keep(wanted).map { Report.line($0) }
          default: commandSink.yield(intent)
          }
        }
      }
      // Lines typed before the question was visible do not answer it.
      if isQuestionNew {
        tcflush(STDIN_FILENO, TCIFLUSH)
        mailbox.removeInput()
      }
      alarm.set(conversation.nextMoment)
    }
  }
}

/// Reads typed lines from standard input without blocking a thread.
final class TypedLines: Sendable {
  private let source: any DispatchSourceRead

  /// Calls `take` with each line without its line feed, and with nil at the end of the input.
  init(_ take: @escaping @Sendable (String?) -> Void) {
    source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    let rest = Mutex<[UInt8]>([])
    source.setEventHandler { [source] in
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(STDIN_FILENO, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR || errno == EAGAIN { return }
      guard count > 0 else {
        source.cancel()
        return take(nil)
      }
      let lines = rest.withLock { rest in
        rest += bytes.prefix(count)
        var lines: [String] = []
        while let end = rest.firstIndex(of: 0x0A) {
          lines.append(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeFirst(end + 1)
        }
        // A line of more than 64 KiB without an end is dropped.
        if rest.count > 65_536 { rest = [] }
        return lines
      }
      lines.forEach(take)
    }
    source.resume()
  }

  /// Stops reading.
  func end() { source.cancel() }
}
