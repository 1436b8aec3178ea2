/// One thing a person can do in the monitor: a row of the one table that keys, function bar, help,
/// settings and read-only mode are made from.
package struct Action: Sendable, Hashable {
  /// What is done.
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

  /// The heading under which help lists it.
  package enum Group: String, Sendable, Hashable, CaseIterable {
    case replay = "Replay"
    case jobs = "Jobs"
    case moving = "Moving"
    case screens = "Screens"
    case display = "Display"
    case program = "Program"
  }

  /// What an action may do to the world.
  package struct Flags: OptionSet, Sendable, Hashable {
    /// One bit a flag.
    package let rawValue: UInt8
    /// The flags whose bits are set.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It changes jobs: not possible for those who may only look.
    package static let changes = Flags(rawValue: 1)
    /// It asks before it acts.
    package static let dangerous = Flags(rawValue: 2)
  }

  /// A place in the function bar.
  package struct BarPlace: Sendable, Hashable {
    /// The jobs for which an action is named.
    package enum Jobs: Sendable, Hashable {
      /// Whatever is selected.
      case any
      /// One that is not over, and none.
      case open
      /// One that is over, in the place of what is possible for others.
      case ended
    }

    /// The label, at most seven letters.
    package let label: String
    /// The number of the function key, or of the one whose place it takes.
    package let number: Int
    /// The jobs for which it is named.
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

  /// What is done.
  package let id: ID
  /// Where help lists it.
  package let group: Group
  /// One line for help.
  package let help: String
  /// The keys that are bound at the start.
  package internal(set) var keys: [Key]
  /// The command of the command line that does the same; nil for what only a screen can do.
  package let command: String?
  /// Its place in the function bar; nil for what is not in it.
  package let bar: BarPlace?
  /// What it may do to the world.
  package let flags: Flags
  /// The screens it is for; nil means every screen.
  package let screens: Set<Screen.Kind>?

  /// The word that settings use for it: `clean-up-finished`.
  package var name: String {
    var words = ""
    for character in id.rawValue {
      if character.isUppercase { words += "-" }
      words += character.lowercased()
    }
    return words
  }

  /// The word for messages: the label of the function bar, else the name.
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
