import CNcurses
package import Canvas
import Dispatch
import Glibc
import HostSystem

/// The terminal of this process as a full screen: it shows canvases, reports events, and restores
/// the terminal however the process ends.
///
/// Only one can be open, on the main actor, because ncurses has one global state. Nothing polls: an
/// idle terminal causes no wake-up and no output.
@MainActor
package final class Terminal: Sendable {
  enum State {
    case active
    case left
    case over
  }

  private static var isOpen = false

  /// The capabilities of the terminal.
  package let capabilities: TerminalCapabilities
  /// The size in cells, at most 1,000 by 500; an event reports changes.
  package internal(set) var size: Size
  /// All events, for a single reader; the sequence ends after `.hangup`, `.terminate` and `close`.
  package let events: AsyncStream<TerminalEvent>

  let options: TerminalOptions
  let queue = EventQueue()
  var state = State.active
  var decoder = KeyDecoder()
  var sources: [any DispatchSourceProtocol] = []
  /// Number of reads of keys.
  var bursts = 0
  var isWatchingPaste = false
  var clicks = DoubleClickDetector()
  let opened = ContinuousClock.now
  /// Until when replies of the terminal are accepted.
  var replyDeadline: ContinuousClock.Instant?
  /// Whether the terminal supports synchronized frames.
  var holdsFrames = false
  var pairs: ColorPairs
  var shown: Canvas?
  private var shownCursor: Point?
  /// Duration of the last write of a frame; long if the terminal does not keep up.
  package private(set) var lastWrite = Duration.zero

  /// Opens the terminal: full screen, raw keys, signal handlers, standard error.
  ///
  /// An unknown type falls back to a related one, which `TerminalCapabilities.notice` reports;
  /// it never ends the process. `LINES` and `COLUMNS` in the environment are ignored.
  ///
  /// - Parameter options: Descriptors and settings.
  /// - Returns: The terminal; a process can have only one.
  /// - Throws: `TerminalError`; nothing has been changed then.
  package static func open(
    _ options: TerminalOptions = TerminalOptions()
  ) throws(TerminalError) -> Terminal {
    guard !isOpen else { throw .alreadyOpen }
    guard isatty(options.output) == 1, rescue_remember(options.input) else { throw .notATerminal }
    let isUTF8 = cn_set_locale()
    let asked = options.type ?? environment("TERM")
    let isRemote = ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].contains { environment($0) != nil }
    let wanted = environment("ESCDELAY").flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
    let delay = Int32(clamping: options.escapeDelay ?? wanted ?? (isRemote ? 100 : 25))
    // Must precede ncurses, which sets its own handlers only where there are none.
    let signals = rescue_catch_signals()
    let type = RootEnvironment.withoutForeignHome {
      TerminalType.candidates(for: asked).first { name in
        unsafe cn_open(name, options.input, options.output, delay)
      }
    }
    guard let type else {
      rescue_uncatch_signals(false)
      throw .unknownType(asked ?? "")
    }
    isOpen = true
    let capabilities = TerminalCapabilities(
      type: type, notice: notice(asked: asked, taken: type), colorCount: Int(cn_colors()),
      hasDirectColor: cn_has_direct_color(), isUTF8: isUTF8, canMoveCursor: cn_can_move(),
      isRemote: isRemote)
    return Terminal(options, capabilities, signals: signals)
  }

  /// Ends this process by a signal with its default action; for the end of a program after the
  /// event `.terminate`.
  package nonisolated static func endProcess(by signal: Int32) -> Never {
    rescue_end_by(signal)
  }

  private init(
    _ options: TerminalOptions, _ capabilities: TerminalCapabilities, signals: Int32
  ) {
    self.options = options
    self.capabilities = capabilities
    events = queue.stream
    pairs = ColorPairs()
    size = Self.measure(options.output)
    cn_resize(Int32(size.rows), Int32(size.columns))
    prepareRescue()
    if options.holdsErrors { rescue_hold_errors() }
    decoder.usesMouse = options.usesMouse
    write(enterModes)
    cn_show(-1, 0)
    ask()
    listen(signals: signals)
  }

  // MARK: Showing

  /// Shows a canvas; an unchanged one causes no output.
  ///
  /// Cells outside the terminal are not shown. A cell appears as `?` if the terminal would show its
  /// character with another width than the canvas has. After the terminal is closed or gone,
  /// nothing happens.
  package func present(_ canvas: Canvas) {
    guard state == .active else { return }
    let isWhole = shown?.size != canvas.size
    if isWhole { cn_erase() }
    var differs = draw(canvas, isWhole: isWhole)
    if pairs.isExhausted {
      pairs.reset()
      cn_erase()
      differs = draw(canvas, isWhole: true)
    }
    if canvas.cursor != shownCursor { differs = true }
    shown = canvas
    shownCursor = canvas.cursor
    flush(holding: differs)
  }

  /// Writes the changes; as a synchronized frame if the terminal supports that.
  private func flush(holding: Bool) {
    let begin = ContinuousClock.now
    let isHeld = holding && holdsFrames
    if isHeld { write(Self.frameBegin) }
    if let cursor = shownCursor, cursor.row >= 0, cursor.row < size.rows,
      cursor.column >= 0, cursor.column < size.columns
    {
      cn_show(Int32(cursor.row), Int32(cursor.column))
    } else {
      cn_show(-1, 0)
    }
    if isHeld { write(Self.frameEnd) }
    lastWrite = ContinuousClock.now - begin
  }

  /// Writes the whole screen again, after another program has written to it.
  package func repaint() {
    guard state == .active else { return }
    cn_forget()
    flush(holding: true)
  }

  /// Waits for the next event; nil after the last one.
  ///
  /// For a single reader, in place of ``events``. On the main actor nothing runs between the
  /// removal of an event and its return, so `discardInput` discards every event that the caller has
  /// not seen.
  package func nextEvent() async -> TerminalEvent? { await queue.next() }

  /// Discards unread keys, pastes and clicks, before a question that a key typed too early must not
  /// answer.
  ///
  /// Waiting input is read and not flushed, so that the rest of a paste is not read as keys.
  package func discardInput() {
    guard state == .active else { return }
    readWaitingInput { _ in }
    decoder.discard()
    queue.removeInput()
  }

  /// Gives the terminal back and ends the events; a second call does nothing.
  package func close() {
    guard state != .over else { return }
    endListening()
    awaitReplies()
    rescue_disarm()
    write(leaveModes)
    cn_close()
    finish()
  }

  // MARK: Changes from outside

  /// Forgets the last frame, so that the next one is drawn as a whole.
  func forgetFrame() {
    shown = nil
    cn_forget()
  }

  /// Releases signals and standard error after the terminal is given back or lost.
  func finish(keepingHangUp: Bool = false) {
    state = .over
    rescue_release_errors()
    rescue_uncatch_signals(keepingHangUp)
    queue.finish()
    Self.isOpen = false
  }

  static func measure(_ descriptor: Int32) -> Size {
    let packed = cn_size(descriptor)
    let rows = Int(packed >> 16)
    let columns = Int(packed & 0xffff)
    // An unset pseudo-terminal reports 0 by 0, a hostile one 65,535 by 65,535.
    return Size(
      columns: columns == 0 ? 80 : min(columns, 1_000), rows: rows == 0 ? 24 : min(rows, 500))
  }

  private static func notice(asked: String?, taken: String) -> String? {
    guard let asked, !asked.isEmpty else {
      return "The terminal type is not set; taking it for \(taken)."
    }
    guard asked != taken else { return nil }
    let name = String(
      String.UnicodeScalarView(
        asked.unicodeScalars.prefix(40).filter {
          $0.value > 0x20 && $0.value < 0x7f
        }))
    return "The terminal type \(name) is not known here; taking it for \(taken)."
  }

  static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
