import Canvas
import Glibc
import InstallJobs
import Monitor
import Terminal
import ThemeCatalog

/// The running monitor: connects the terminal and the engine with the pure ``MonitorState``.
///
/// One loop applies all events that arrived, then draws at most one frame. A key is drawn at once,
/// everything else at the rate of ``FramePace``. Nothing is written when nothing changed.
@MainActor
final class MonitorSession {
  /// Why the monitor ended.
  enum End: Sendable {
    case quit
    case hangup
    case signal(Int32)
  }

  private let terminal: Terminal
  private var look: DrawStyle
  private let mailbox: Mailbox
  private let link: MonitorLink
  private let preferences: MonitorPreferences
  private let theme: MonitorTheme
  private var state: MonitorState
  private var pace: FramePace
  private var due: Task<Void, Never>?
  private var ticks: Task<Void, Never>?
  private var heartbeat: Task<Void, Never>?
  private let time = MonotonicTime()
  /// Posts a clock event at the state's next moment, if there is one.
  private let alarm: Alarm
  /// When the engine's last message came.
  private var lastMessageTime = ContinuousClock.now
  /// The time of silence after which the heartbeat polls the engine.
  private var heartbeatInterval = Duration.zero
  private var end: End?
  /// Intents for the engine, in the order of the keys.
  private let commands: AsyncStream<Intent>
  private let commandSink: AsyncStream<Intent>.Continuation
  /// A warning to show after the first snapshot, so that no earlier message replaces it.
  var warning: String?

  /// - Parameters:
  ///   - state: The initial state.
  ///   - terminal: The terminal to draw on.
  ///   - look: The initial drawing style.
  ///   - link: The connection to the engine.
  ///   - mailbox: The queue through which the link posts events.
  ///   - preferences: Stores changed settings.
  ///   - theme: Reads the themes.
  init(
    _ state: MonitorState, _ terminal: Terminal, look: DrawStyle, link: MonitorLink,
    mailbox: Mailbox,
    preferences: MonitorPreferences, theme: MonitorTheme
  ) {
    (commands, commandSink) = AsyncStream.makeStream()
    self.state = state
    self.terminal = terminal
    self.look = look
    self.link = link
    self.mailbox = mailbox
    self.preferences = preferences
    self.theme = theme
    pace = FramePace(rate: state.preferences.shownRate)
    pace.recordChange(at: .now)
    alarm = Alarm(mailbox, time)
  }

  /// Runs until the user leaves or the terminal goes away.
  func run() async -> End {
    let listening = Task { await link.follow() }
    let keys = Task { await readTerminal() }
    let asking = Task { [link, commands] in await link.perform(commands) }
    defer {
      listening.cancel()
      keys.cancel()
      asking.cancel()
      heartbeat?.cancel()
      due?.cancel()
      ticks?.cancel()
      alarm.set(nil)
    }
    for await _ in mailbox.wakeUps {
      let taken = apply(mailbox.removeAll())
      if let end { return end }
      draw(isUrgent: taken.isUrgent || taken.isQuestionNew)
      // The question is visible only now; input typed before was meant for something else.
      if taken.isQuestionNew { discardInput() }
      if taken.isSnapshotWhole { Memory.releaseUnused() }
      updateTicks()
      updateHeartbeat()
      alarm.set(state.nextMoment)
    }
    return end ?? .quit
  }

  /// What the events of one wake-up need.
  private struct AppliedEvents {
    /// The user waits to see them.
    var isUrgent = false
    /// They opened a question; input typed after it is dropped.
    var isQuestionNew = false
    /// The snapshot is complete.
    var isSnapshotWhole = false
  }

  private func apply(_ events: [MonitorEvent]) -> AppliedEvents {
    var taken = AppliedEvents()
    let selected = state.selected
    // The clock comes first: the other events are timed from it.
    let told = events.isEmpty ? [] : [.clock(time.now)] + events
    if !told.isEmpty { pace.recordChange(at: .now) }
    for event in told where !(taken.isQuestionNew && event.isInput) {
      taken.isUrgent = taken.isUrgent || Self.isAwaited(event)
      if event.isHeard { lastMessageTime = .now }
      if event.needsStatusRequest { Task { [link] in await link.poll() } }
      for intent in state.update(event) {
        if intent == .discardInput { taken.isQuestionNew = true } else { perform(intent) }
      }
      if end != nil { break }
      guard case .snapshotEnd = event else { continue }
      taken.isSnapshotWhole = true
      if let warning { mailbox.post(.notice(warning, isAlert: true)) }
      warning = nil
    }
    // The user must see the new selection before the next key acts on it.
    if state.selected != selected { taken.isUrgent = true }
    return taken
  }

  /// Draws with another theme.
  func useTheme(_ theme: Theme) {
    look.theme = theme
    pace.recordChange(at: .now)
    mailbox.wakeUp()
  }

  /// Whether the user waits to see the event, for example a key, a new size or the first snapshot.
  private static func isAwaited(_ event: MonitorEvent) -> Bool {
    switch event {
    case .key, .mouse, .resize, .snapshotEnd, .plan, .replay(.end), .replay(.log): true
    default: false
    }
  }

  // MARK: The terminal

  private func readTerminal() async {
    while let event = await terminal.nextEvent() {
      switch event {
      case .key(let key): mailbox.post(.key(key))
      case .paste(let text): mailbox.post(.paste(text))
      case .mouse(let event): mailbox.post(.mouse(event))
      case .replies(let replies): if let color = replies.background { theme.apply(answer: color) }
      case .resize(let size): mailbox.post(.resize(size))
      case .resumed: mailbox.wakeUp()
      case .hangup: finish(.hangup)
      case .terminate(let signal): finish(.signal(signal))
      }
    }
  }

  private func discardInput() {
    terminal.discardInput()
    mailbox.removeInput()
  }

  private func finish(_ end: End) {
    self.end = end
    mailbox.wakeUp()
  }

  private func draw(isUrgent: Bool) {
    guard let wait = pace.wait(at: .now) else { return }
    if !isUrgent, wait > .zero {
      guard due == nil else { return }
      due = Task { [mailbox] in
        guard (try? await Task.sleep(for: wait)) != nil else { return }
        due = nil
        mailbox.wakeUp()
      }
      return
    }
    terminal.present(state.render(state.size, look))
    pace.recordFrame(in: terminal.lastWrite, at: .now)
  }

  /// Starts or stops the heartbeat, which polls a silent engine: after 5 seconds of silence while
  /// jobs work, after 15 seconds otherwise.
  ///
  /// The heartbeat detects an engine that hangs and would otherwise look idle. With no job at work
  /// it wakes four times a minute.
  private func updateHeartbeat() {
    guard state.link.isLive else {
      heartbeat?.cancel()
      heartbeat = nil
      return
    }
    let patience = Duration.seconds(state.isWorkExpected ? 5 : 15)
    guard heartbeat == nil || patience != heartbeatInterval else { return }
    heartbeat?.cancel()
    heartbeatInterval = patience
    heartbeat = Task {
      var asked: ContinuousClock.Instant?
      // A message or a poll puts the next poll off.
      while !Task.isCancelled {
        let due = max(lastMessageTime, asked ?? lastMessageTime) + patience
        guard due <= .now else {
          guard (try? await Task.sleep(until: due)) != nil else { return }
          continue
        }
        await link.poll()
        asked = .now
      }
    }
  }

  /// Posts a tick every 250 ms while the state animates progress bars without a known total.
  private func updateTicks() {
    guard state.wantsTick else {
      ticks?.cancel()
      ticks = nil
      return
    }
    guard ticks == nil else { return }
    ticks = Task { [mailbox] in
      while (try? await Task.sleep(for: .milliseconds(250))) != nil { mailbox.post(.tick) }
    }
  }

  // MARK: Intents

  private func perform(_ intent: Intent) {
    switch intent {
    case .quit: end = .quit
    case .suspend: terminal.suspend()
    case .repaint: terminal.repaint()
    case .copy(let text): terminal.copy(text)
    case .ringBell: terminal.ringBell()
    case .useTheme(let name): theme.choose(name)
    case .useMouse(let isOn): terminal.useMouse(isOn)
    case .keep(let wanted):
      pace = FramePace(rate: wanted.shownRate)
      pace.recordChange(at: .now)
      if let problem = preferences.keep(wanted) {
        mailbox.post(.notice(problem, isAlert: true))
      } else if state.screen == .settings {
        mailbox.post(.notice("kept for the next start"))
      }
    default: commandSink.yield(intent)
    }
  }
}
