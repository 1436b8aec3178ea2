/// The operator's settings in `config.toml`; nil for keys that no file sets.
///
/// The command line wins over the settings, the user's file over the system's. The program never
/// writes these files; ``MonitorMemory`` stores the choices of the settings screen.
package struct Settings: Sendable, Hashable {
  /// How many colours to use.
  package enum Color: String, Sendable, Hashable, CaseIterable {
    case auto
    case never
    case sixteen = "16"
    case palette = "256"
    case truecolor
  }

  /// Which parts of the screen are animated.
  package enum Motion: String, Sendable, Hashable, CaseIterable {
    /// Progress bars pulse and spinners turn.
    case full
    /// No animation; only numbers change.
    case calm
  }

  /// The key names on the bottom line.
  package enum FunctionBar: String, Sendable, Hashable, CaseIterable {
    /// Function keys: `F9 Abort`.
    case fkeys
    /// Letters: `x abort`.
    case letters
    case both
  }

  /// The commands that need a confirmation; an abort always does.
  package enum Confirmations: String, Sendable, Hashable, CaseIterable {
    /// All dangerous commands, and the clean-up of a single job that left nothing to repair.
    case always
    /// Commands that cannot be undone.
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
    /// Whether users who may not change jobs may see them.
    package var everybodyMayLook: Bool?
    /// Seconds without progress after which a job counts as stalled, 1...86,400.
    package var stallAfterSeconds: Double?
    /// Whether jobs are refused while a restart of the machine is pending.
    package var requiresRebootFirst: Bool?
    /// Days for which ended and cleaned-up jobs are kept, 1...36,500.
    package var keepDays: Int?
    /// Number of ended jobs that are kept, 10...1,000,000.
    package var keepJobs: Int?
    /// Size of the journal in megabytes above which old jobs are removed, 10...1,000,000.
    package var keepMegabytes: Int?

    /// Creates settings without values.
    package init() {}
  }

  /// The name or path of a theme; `auto` chooses by the terminal's background.
  package var theme: String?
  /// How many colours to use.
  package var color: Color?
  /// Whether to draw with ASCII characters only.
  package var ascii: Bool?
  /// The names of the job list's columns in order, as written in the file.
  package var columns: [String]?
  /// Whether the mouse is used; off by default.
  package var mouse: Bool?
  /// The most frames a second, 1...20.
  package var frameRate: Int?
  /// Whether the monitor saves bandwidth: one frame a second, no animation.
  package var slowLink: Bool?
  /// Which parts of the screen are animated.
  package var motion: Motion?
  /// The key names on the bottom line.
  package var functionBar: FunctionBar?
  /// The commands that need a confirmation.
  package var confirmations: Confirmations?
  /// Whether the terminal's bell rings when a job fails; on by default.
  package var bell: Bool?
  /// Milliseconds after an escape character within which further bytes belong to the same key,
  /// 0...1,000.
  package var escapeDelay: Int?
  /// Whether the monitor refuses all commands that change jobs.
  package var readOnly: Bool?
  /// Replaced keys of actions, in the order of files and lines; each action once.
  package var keys: [KeyBinding] = []
  /// The settings of the engine.
  package var engine = Engine()

  /// Creates settings without values.
  package init() {}

  /// Returns these settings, with missing values taken from `other`.
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
