import Canvas
import Glibc
import InstallJobs
import JobScreen
import Terminal
import ThemeCatalog

/// The monitor at work: terminal and engine on one side, the pure state on the other.
///
/// One loop: everything that came is taken in, then at most one frame is drawn. A key is shown at
/// once; all else at most ten times a second; nothing is written when nothing changed.
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
  private let time = SteadyTime()
  /// Wakes at the state's next moment, while there is one.
  private let alarm: Alarm
  /// When the engine was heard last.
  private var heard = ContinuousClock.now
  /// The silence that the vigil waits for.
  private var heartbeatInterval = Duration.zero
  private var end: End?
  /// What is asked of the engine, in the order of the keys.
  private let commands: AsyncStream<Intent>
  private let asked: AsyncStream<Intent>.Continuation
  /// What is to be told once the jobs are shown, so that nothing said on the way covers it.
  var warning: String?

  /// - Parameters:
  ///   - state: The monitor as it begins.
  ///   - terminal: Where it is drawn.
  ///   - look: How it is drawn at first.
  ///   - link: The line to the engine.
  ///   - mailbox: What the link tells through.
  ///   - preferences: Where changed settings are kept.
  ///   - theme: Where themes come from.
  init(
    _ state: MonitorState, _ terminal: Terminal, look: DrawStyle, link: MonitorLink,
    mailbox: Mailbox,
    preferences: MonitorPreferences, theme: MonitorTheme
  ) {
    (commands, asked) = AsyncStream.makeStream()
    self.state = state
    self.terminal = terminal
    self.look = look
    self.link = link
    self.mailbox = mailbox
    self.preferences = preferences
    self.theme = theme
    pace = FramePace(rate: state.preferences.shownRate)
    pace.change(at: .now)
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
    for await _ in mailbox.rings {
      let taken = apply(mailbox.removeAll())
      if let end { return end }
      draw(isUrgent: taken.isUrgent || taken.isQuestionNew)
      // Only now can the question be seen; what was typed up to here was meant for something else.
      if taken.isQuestionNew { discardInput() }
      if taken.isSnapshotWhole { Memory.giveBack() }
      animate()
      keepVigil()
      alarm.set(state.nextMoment)
    }
    return end ?? .quit
  }

  /// What there was among the events of a ring.
  private struct AppliedEvents {
    /// Somebody waits to see them.
    var isUrgent = false
    /// They opened a question; what was typed after it is dropped.
    var isQuestionNew = false
    /// All jobs have been told.
    var isSnapshotWhole = false
  }

  private func apply(_ events: [MonitorEvent]) -> AppliedEvents {
    var taken = AppliedEvents()
    let selected = state.selected
    // The time comes first: what the others bring is counted from it.
    let told = events.isEmpty ? [] : [.clock(time.now)] + events
    if !told.isEmpty { pace.change(at: .now) }
    for event in told where !(taken.isQuestionNew && event.isInput) {
      taken.isUrgent = taken.isUrgent || Self.isAwaited(event)
      if event.isHeard { heard = .now }
      if event.isWorthAsking { Task { [link] in await link.poll() } }
      for intent in state.update(event) {
        if intent == .discardInput { taken.isQuestionNew = true } else { perform(intent) }
      }
      if end != nil { break }
      guard case .snapshotEnd = event else { continue }
      taken.isSnapshotWhole = true
      if let warning { mailbox.post(.notice(warning, isAlert: true)) }
      warning = nil
    }
    // A key pressed now would be for the job that was selected before.
    if state.selected != selected { taken.isUrgent = true }
    return taken
  }

  /// Draws with another theme from now on.
  func wear(_ theme: Theme) {
    look.theme = theme
    pace.change(at: .now)
    mailbox.ring()
  }

  /// Whether somebody waits to see this: an own key, a new size, the first look at the jobs.
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
      case .key(let key): mailbox.post(.key(JobScreen.Key(key)))
      case .paste(let text): mailbox.post(.paste(text))
      case .mouse(let event): mailbox.post(.mouse(MouseInput(event)))
      case .replies(let replies): if let color = replies.background { theme.apply(answer: color) }
      case .resize(let size): mailbox.post(.resize(size))
      case .resumed: mailbox.ring()
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
    mailbox.ring()
  }

  private func draw(isUrgent: Bool) {
    guard let wait = pace.wait(at: .now) else { return }
    if !isUrgent, wait > .zero {
      guard due == nil else { return }
      due = Task { [mailbox] in
        guard (try? await Task.sleep(for: wait)) != nil else { return }
        due = nil
        mailbox.ring()
      }
      return
    }
    terminal.present(state.render(state.size, look))
    pace.drew(in: terminal.lastWrite, at: .now)
  }

  /// Asks an engine for a sign of life that has said nothing for a while: for five seconds while
  /// jobs are at work, for fifteen otherwise, since one that hangs must not look idle.
  ///
  /// Nobody is woken before that much silence can have passed: with nothing at work four times a
  /// minute.
  private func keepVigil() {
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
      // What was heard meanwhile puts the moment off, and so does a question.
      while !Task.isCancelled {
        let due = max(heard, asked ?? heard) + patience
        guard due <= .now else {
          guard (try? await Task.sleep(until: due)) != nil else { return }
          continue
        }
        await link.poll()
        asked = .now
      }
    }
  }

  /// Lets the bars that cannot know how far they are pulse, and nothing otherwise.
  private func animate() {
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

  // MARK: What the state wants

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
      pace.change(at: .now)
      if let problem = preferences.keep(wanted) {
        mailbox.post(.notice(problem, isAlert: true))
      } else if state.screen == .settings {
        mailbox.post(.notice("kept for the next start"))
      }
    default: asked.yield(intent)
    }
  }
}
