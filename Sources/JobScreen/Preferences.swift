/// How a person wants the monitor: what settings files say and the settings screen changes.
package struct Preferences: Sendable, Hashable {
  /// How the function bar names keys.
  package enum BarStyle: String, Sendable, Hashable, CaseIterable {
    /// `F9Abort`, letters where the window is narrow.
    case functionKeys = "fkeys"
    /// `x Abort`.
    case letters
    /// `F9/x Abort`.
    case both
  }

  /// The name of the theme.
  package var theme: String
  /// The columns of the list of jobs that are wanted; what has no room leaves by itself.
  package var columns: Set<OptionalColumn> = Set(OptionalColumn.allCases)
  /// Frames a second at most, 1...20.
  package var frameRate = 10
  /// Whether nothing moves but what tells something: no pulse.
  package var isCalm = false
  /// Whether the mouse is taken; the terminal's own selection then needs Shift.
  package var usesMouse = false
  /// How the function bar names keys.
  package var barStyle = BarStyle.functionKeys
  /// Whether even one job with nothing to mend is only cleaned up after a question.
  package var confirmsCleanUp = false
  /// How the lists are sorted.
  package var sort = JobSort.standard
  /// Whether jobs at work show their package below them.
  package var isTree = false

  /// The columns that can be left out.
  package enum OptionalColumn: String, Sendable, Hashable, CaseIterable {
    case phase
    case speed
    case time
    case by
  }

  /// The standard of a theme's name.
  package init(theme: String = "neutral") { self.theme = theme }
}
