/// The user's preferences, from settings files and the settings screen.
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
  /// The columns of the job lists.
  package var columns = ColumnChoice.standard
  /// The highest number of frames a second, 1...20.
  package var frameRate = 10
  /// Whether the line to the terminal is slow: then one frame a second, no chart and no pulse.
  package var isSlowLink = false
  /// Whether animations without information are off: no pulse.
  package var isCalm = false
  /// Whether the monitor handles the mouse; selecting text in the terminal then needs Shift.
  package var usesMouse = false
  /// How the function bar names keys.
  package var barStyle = BarStyle.functionKeys
  /// Whether even a single job without pending repairs is cleaned up only after a question.
  package var confirmsCleanUp = false
  /// Whether the terminal's bell rings when a job fails.
  package var ringsBell = true
  /// The sort order of the lists.
  package var sort = JobSort.standard
  /// Whether a job at work has a second row with its current package.
  package var isTree = false

  /// The highest number of frames a second that are drawn.
  ///
  /// Keys are answered at once in any case.
  package var shownRate: Int { isSlowLink ? 1 : frameRate }

  /// Whether bars may pulse.
  var hasPulse: Bool { !isCalm && !isSlowLink }

  /// The default preferences with this theme.
  package init(theme: String = "neutral") { self.theme = theme }
}
