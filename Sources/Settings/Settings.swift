/// What an operator has set in `config.toml`; nil where the file says nothing.
///
/// The command line wins over the settings, the user's file over the system's. The program never
/// writes these files; what is chosen on the settings screen is kept in ``MonitorMemory``.
package struct Settings: Sendable, Hashable {
  /// How many colours to use.
  package enum Color: String, Sendable, Hashable, CaseIterable {
    case auto
    case never
    case sixteen = "16"
    case palette = "256"
    case truecolor
  }

  /// How much moves on the screen by itself.
  package enum Motion: String, Sendable, Hashable, CaseIterable {
    /// Bars pulse and signs turn.
    case full
    /// Nothing moves but figures.
    case calm
  }

  /// What the bottom line names keys by.
  package enum FunctionBar: String, Sendable, Hashable, CaseIterable {
    /// Function keys: `F9 Abort`.
    case fkeys
    /// Letters: `x abort`.
    case letters
    case both
  }

  /// What is asked back before it is done; an abort always is.
  package enum Confirmations: String, Sendable, Hashable, CaseIterable {
    /// Also the clean-up of one job with nothing to mend.
    case always
    /// What cannot be taken back.
    case dangerous
  }

  /// Settings of the engine.
  package struct Engine: Sendable, Hashable {
    /// The package root, an absolute path.
    package var root: String?
    /// The state folder, an absolute path.
    package var state: String?
    /// The socket, an absolute path of at most 107 bytes.
    package var socket: String?
    /// Whether users without rights to act may look.
    package var everybodyMayLook: Bool?
    /// Seconds without a sign of life after which a job counts as stalled, 1...86,400.
    package var stallAfterSeconds: Double?
    /// Whether jobs are refused while a restart of the machine is pending.
    package var requiresRebootFirst: Bool?
    /// Days for which ended, cleaned-up jobs are kept, 1...36,500.
    package var keepDays: Int?
    /// Ended jobs that are kept, 10...1,000,000.
    package var keepJobs: Int?
    /// Megabytes that the journal may use before old jobs go, 10...1,000,000.
    package var keepMegabytes: Int?

    package init() {}
  }

  /// The name or path of a theme; `auto` chooses by the terminal's background.
  package var theme: String?
  package var color: Color?
  /// Whether to draw with ASCII alone.
  package var ascii: Bool?
  /// The names of the columns of the job list in their order, as they are written.
  package var columns: [String]?
  /// Whether the mouse is used; off unless set.
  package var mouse: Bool?
  /// Frames a second at most, 1...20.
  package var frameRate: Int?
  /// Whether the monitor spares the line to the terminal: one frame a second, nothing that moves.
  package var slowLink: Bool?
  package var motion: Motion?
  package var functionBar: FunctionBar?
  package var confirmations: Confirmations?
  /// Whether the terminal's bell rings when a job fails; on unless set.
  package var bell: Bool?
  /// Milliseconds in which what follows an escape belongs to the same key, 0...1,000.
  package var escapeDelay: Int?
  /// Whether nothing that changes jobs is possible from the monitor.
  package var readOnly: Bool?
  /// Other keys for actions, in the order of files and lines; each action once.
  package var keys: [KeyBinding] = []
  package var engine = Engine()

  package init() {}

  /// These settings, completed from `other` where they say nothing.
  package func over(_ other: Settings) -> Settings {
    var merged = self
    for setting in Self.monitorSettings where !setting.isSet(self) { setting.copy(other, &merged) }
    let bound = Set(keys.map(\.action))
    merged.keys += other.keys.filter { !bound.contains($0.action) }
    merged.engine.root = engine.root ?? other.engine.root
    merged.engine.state = engine.state ?? other.engine.state
    merged.engine.socket = engine.socket ?? other.engine.socket
    merged.engine.everybodyMayLook = engine.everybodyMayLook ?? other.engine.everybodyMayLook
    merged.engine.stallAfterSeconds = engine.stallAfterSeconds ?? other.engine.stallAfterSeconds
    merged.engine.requiresRebootFirst =
      engine.requiresRebootFirst ?? other.engine.requiresRebootFirst
    merged.engine.keepDays = engine.keepDays ?? other.engine.keepDays
    merged.engine.keepJobs = engine.keepJobs ?? other.engine.keepJobs
    merged.engine.keepMegabytes = engine.keepMegabytes ?? other.engine.keepMegabytes
    return merged
  }
}
