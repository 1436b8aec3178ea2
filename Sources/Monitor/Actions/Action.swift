package import Canvas

/// One action of the monitor: a row of the table from which keys, function bar, help, settings and
/// read-only mode are made.
package struct Action: Sendable, Hashable {
  /// The identity of an action.
  package enum ID: String, Sendable, Hashable, CaseIterable {
    case help
    case settings
    case command
    case compose
    case repair
    case nextProblem
    case find
    case findNext
    case findPrevious
    case filter
    case tree
    case sort
    case reverseSort
    case retry
    case holdJob
    case pauseQueue
    case yield
    case startFirst
    case startLast
    case replay
    case replayPlay
    case replayBackward
    case replayForward
    case replayPrevious
    case replayNext
    case replaySlower
    case replayFaster
    case replayStart
    case replayEnd
    case leaveReplay
    case cleanUp
    case cleanUpFinished
    case abort
    case tag
    case tagAll
    case untagAll
    case moveUp
    case moveDown
    case pageUp
    case pageDown
    case halfPageUp
    case halfPageDown
    case first
    case last
    case open
    case back
    case showQueue
    case showJob
    case showLog
    case showHistory
    case showTimeline
    case nextScreen
    case previousScreen
    case follow
    case pauseDisplay
    case copyField
    case copyRow
    case mouse
    case wrap
    case logLevel
    case columnLeft
    case columnRight
    case shiftLeft
    case shiftRight
    case reconnect
    case repaint
    case suspend
    case quit
  }

  /// The heading in the help.
  package enum Group: String, Sendable, Hashable, CaseIterable {
    case replay = "Replay"
    case jobs = "Jobs"
    case moving = "Moving"
    case screens = "Screens"
    case display = "Display"
    case program = "Program"
  }

  /// The effect of an action outside the monitor.
  package struct Flags: OptionSet, Sendable, Hashable {
    /// The bits, one for each flag.
    package let rawValue: UInt8
    /// The flags whose bits are set.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The action changes jobs; not possible without the right to change jobs.
    package static let changes = Flags(rawValue: 1)
    /// The action asks for confirmation first.
    package static let dangerous = Flags(rawValue: 2)
  }

  /// A place in the function bar.
  package struct BarPlace: Sendable, Hashable {
    /// The kinds of selected job for which the bar shows an action.
    package enum Jobs: Sendable, Hashable {
      /// Any selected job, or none.
      case any
      /// A job that has not ended, or no job.
      case open
      /// An ended job; the action takes the place of one that is for other jobs.
      case ended
    }

    /// The label, at most seven letters.
    package let label: String
    /// The number of the function key; actions for ended jobs may share the number of another
    /// action.
    package let number: Int
    /// The kinds of selected job for which the bar shows the action.
    package let jobs: Jobs
    /// The label beside the key's letter in narrow windows.
    package let short: String

    init(_ label: String, _ number: Int, _ jobs: Jobs = .any, short: String? = nil) {
      self.jobs = jobs
      self.label = label
      self.number = number
      self.short = short ?? label.lowercased()
    }
  }

  /// The identity.
  package let id: ID
  /// The heading in the help.
  package let group: Group
  /// One line for help.
  package let help: String
  /// The keys, at first the default ones.
  package internal(set) var keys: [Key]
  /// The shell command with the same effect; nil if there is none.
  package let command: String?
  /// The place in the function bar; nil if it has none.
  package let bar: BarPlace?
  /// The effect outside the monitor.
  package let flags: Flags
  /// The screens on which the action is possible; nil means all screens.
  package let screens: Set<Screen.Kind>?

  /// The name in settings and commands: `clean-up-finished`.
  package var name: String {
    var words = ""
    for character in id.rawValue {
      if character.isUppercase { words += "-" }
      words += character.lowercased()
    }
    return words
  }

  /// The word for messages: the label in the function bar, else the name.
  var title: String { bar?.label.lowercased() ?? name }

  init(
    _ id: ID, _ group: Group, _ help: String, keys: [Key], command: String? = nil,
    bar: BarPlace? = nil, flags: Flags = [], on screens: Set<Screen.Kind>? = nil
  ) {
    self.id = id
    self.group = group
    self.help = help
    self.keys = keys
    self.command = command
    self.bar = bar
    self.flags = flags
    self.screens = screens
  }
}
