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
  /// The columns of the list of jobs.
  package var columns = ColumnChoice.standard
  /// Frames a second at most, 1...20.
  package var frameRate = 10
  /// Whether the line to the terminal is slow: one frame a second, no chart and no pulse.
  package var isSlowLink = false
  /// Whether nothing moves but what tells something: no pulse.
  package var isCalm = false
  /// Whether the mouse is taken; the terminal's own selection then needs Shift.
  package var usesMouse = false
  /// How the function bar names keys.
  package var barStyle = BarStyle.functionKeys
  /// Whether even one job with nothing to mend is only cleaned up after a question.
  package var confirmsCleanUp = false
  /// Whether the terminal's bell rings when a job fails.
  package var ringsBell = true
  /// How the lists are sorted.
  package var sort = JobSort.standard
  /// Whether jobs at work show their package below them.
  package var isTree = false

  /// Frames a second at most, as they are drawn; a key is answered at once all the same.
  package var shownRate: Int { isSlowLink ? 1 : frameRate }

  /// Whether bars may pulse.
  var hasPulse: Bool { !isCalm && !isSlowLink }

  /// The standard of a theme's name.
  package init(theme: String = "neutral") { self.theme = theme }
}
