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

  private static let frame = Duration.milliseconds(100)
  private let terminal: Terminal
  private var look: Look
  private let mailbox: Mailbox
  private let link: MonitorLink
  private var state: MonitorState
  private var isDirty = true
  private var lastFrame: ContinuousClock.Instant?
  private var due: Task<Void, Never>?
  private var ticks: Task<Void, Never>?
  private var end: End?
  /// What is to be told once the jobs are shown, so that nothing said on the way covers it.
  var warning: String?

  init(
    _ terminal: Terminal, look: Look, link: MonitorLink, mailbox: Mailbox, isReadOnly: Bool
  ) {
    self.terminal = terminal
    self.look = look
    self.link = link
    self.mailbox = mailbox
    let reason = isReadOnly ? "read-only: started with --read-only" : nil
    state = MonitorState(
      size: terminal.size, readOnlyReason: reason, timeOffset: LocalTime.offset)
  }

  /// Runs until the user leaves or the terminal goes away.
  func run() async -> End {
    let listening = Task { await link.follow() }
    let keys = Task { await readTerminal() }
    defer {
      listening.cancel()
      keys.cancel()
      due?.cancel()
      ticks?.cancel()
    }
    for await _ in mailbox.rings {
      var isUrgent = false
      for event in mailbox.takeAll() {
        isUrgent = isUrgent || Self.isAwaited(event)
        isDirty = true
        for intent in state.update(event) { perform(intent) }
        if case .snapshotEnd = event, let warning {
          mailbox.post(.notice(warning, isAlert: true))
          self.warning = nil
        }
      }
      if let end { return end }
      draw(isUrgent: isUrgent)
      animate()
    }
    return end ?? .quit
  }

  /// Draws with another theme from now on.
  func wear(_ theme: Theme) {
    look.theme = theme
    isDirty = true
    mailbox.ring()
  }

  /// Whether somebody waits to see this: an own key, a new size, the first look at the jobs.
  private static func isAwaited(_ event: MonitorEvent) -> Bool {
    switch event {
    case .key, .resize, .snapshotEnd, .plan: true
    default: false
    }
  }

  // MARK: The terminal

  private func readTerminal() async {
    for await event in terminal.events {
      switch event {
      case .key(let key): mailbox.post(.key(JobScreen.Key(key)))
      case .paste(let text): mailbox.post(.paste(text))
      case .resize(let size): mailbox.post(.resize(size))
      case .resumed: mailbox.ring()
      case .hangup: finish(.hangup)
      case .terminate(let signal): finish(.signal(signal))
      }
    }
  }

  private func finish(_ end: End) {
    self.end = end
    mailbox.ring()
  }

  private func draw(isUrgent: Bool) {
    guard isDirty else { return }
    let now = ContinuousClock.now
    if !isUrgent, let last = lastFrame, now - last < Self.frame {
      guard due == nil else { return }
      let rest = Self.frame - (now - last)
      due = Task { [mailbox] in
        guard (try? await Task.sleep(for: rest)) != nil else { return }
        due = nil
        mailbox.ring()
      }
      return
    }
    terminal.present(state.render(state.size, look))
    lastFrame = now
    isDirty = false
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
    let link = link
    switch intent {
    case .requestAbort(let ids): Task { await link.abort(ids) }
    case .withdrawAbort(let id): Task { await link.withdraw(id) }
    case .cleanUp(let ids): Task { await link.cleanUp(ids) }
    case .fetchPlan(let id): Task { await link.fetchPlan(id) }
    case .fetchLog(let id, let from): Task { await link.fetchLog(id, from: from) }
    case .reconnect: Task { await link.reconnectNow() }
    case .quit: end = .quit
    case .suspend: terminal.suspend()
    case .repaint: terminal.repaint()
    case .discardInput: terminal.discardInput()
    case .copy(let text): terminal.copy(text)
    }
  }
}

extension JobScreen.Key {
  /// The terminal's key in the monitor's terms.
  fileprivate init(_ key: TerminalKey) {
    self =
      switch key {
      case .character(let character): .character(character)
      case .alt(let character): .alt(character)
      case .control(let character): .control(character)
      case .function(let number): .function(number)
      case .up: .up
      case .down: .down
      case .left: .left
      case .right: .right
      case .pageUp: .pageUp
      case .pageDown: .pageDown
      case .home: .home
      case .end: .end
      case .enter: .enter
      case .escape: .escape
      case .tab: .tab
      case .backtab: .backTab
      case .backspace: .backspace
      case .delete: .delete
      case .insert: .insert
      }
  }
}
