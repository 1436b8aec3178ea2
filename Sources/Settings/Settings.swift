/// What an operator has set in `config.toml`; nil where the file says nothing.
///
/// The command line wins over the settings, the user's file over the system's.
package struct Settings: Sendable, Hashable {
  /// How many colours to use.
  package enum Color: String, Sendable, Hashable, CaseIterable {
    case auto
    case never
    case sixteen = "16"
    case palette = "256"
    case truecolor
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

    package init() {}
  }

  /// The name or path of a theme.
  package var theme: String?
  package var color: Color?
  /// Whether to draw with ASCII alone.
  package var ascii: Bool?
  /// Whether the mouse is used; off unless set.
  package var mouse: Bool?
  /// Frames a second at most, 1...20.
  package var frameRate: Int?
  /// Whether an abort is asked back before it is requested.
  package var confirmAbort: Bool?
  package var engine = Engine()

  package init() {}

  /// These settings, completed from `other` where they say nothing.
  package func over(_ other: Settings) -> Settings {
    var merged = self
    merged.theme = theme ?? other.theme
    merged.color = color ?? other.color
    merged.ascii = ascii ?? other.ascii
    merged.mouse = mouse ?? other.mouse
    merged.frameRate = frameRate ?? other.frameRate
    merged.confirmAbort = confirmAbort ?? other.confirmAbort
    merged.engine.root = engine.root ?? other.engine.root
    merged.engine.state = engine.state ?? other.engine.state
    merged.engine.socket = engine.socket ?? other.engine.socket
    merged.engine.everybodyMayLook = engine.everybodyMayLook ?? other.engine.everybodyMayLook
    merged.engine.stallAfterSeconds = engine.stallAfterSeconds ?? other.engine.stallAfterSeconds
    merged.engine.requiresRebootFirst =
      engine.requiresRebootFirst ?? other.engine.requiresRebootFirst
    return merged
  }
}
