/// The meaning of a screen element; a theme gives each role its style.
package enum Role: UInt8, Sendable, Hashable, CaseIterable {
  case text
  case textDim
  case title
  case titleAlert
  case header
  case headerSorted
  case rowSelected
  case rowSelectedOther
  case rowTagged
  case rowFollowed
  case stateHeld
  case stateQueued
  case stateWait
  case stateRunning
  case stateAsk
  case stateAbort
  case stateAborted
  case stateCleanup
  case stateDone
  case stateWarn
  case stateFailed
  case stateInterrupted
  case stateStale
  case barFill
  case barTrack
  case barCap
  case spark
  case sparkGap
  case key
  case keyLabel
  case keyDisabled
  case dialogFrame
  case dialogText
  case dialogFocus
  case dialogDanger
  case filterText
  case filterError
  case logInfo
  case logWarn
  case logError
  case logMatch
  case linkLive
  case linkStale
  case linkLost
  case notice
  case timelineDownload
  case timelineUnpack
  case timelineConfigure
  case timelineWait
  case timelineAxis
  case timelineCursor
  case composeChosen
  case composeSecurity
  case composeHeld
  case planAdd
  case planChange
  case planRemove
  case settingChanged

  /// The role's name in theme files.
  package var name: String { Role.names[Int(rawValue)] }

  /// The role with the name `name` in theme files; nil for an unknown name.
  package init?(named name: String) {
    guard let index = Role.names.firstIndex(of: name) else { return nil }
    self.init(rawValue: UInt8(index))
  }

  /// The roles of job states.
  package static let states: [Role] = allCases.filter { $0.name.hasPrefix("state.") }

  private static let names = [
    "text", "text.dim", "title", "title.alert", "header", "header.sorted", "row.selected",
    "row.selected.other", "row.tagged", "row.followed", "state.held", "state.queued",
    "state.wait", "state.running", "state.ask", "state.abort", "state.aborted", "state.cleanup",
    "state.done", "state.warn", "state.failed", "state.interrupted", "state.stale", "bar.fill",
    "bar.track", "bar.cap", "spark", "spark.gap", "key", "key.label", "key.disabled",
    "dialog.frame", "dialog.text", "dialog.focus", "dialog.danger", "filter.text",
    "filter.error", "log.info", "log.warn", "log.error", "log.match", "link.live",
    "link.stale", "link.lost", "notice", "timeline.download", "timeline.unpack",
    "timeline.configure", "timeline.wait", "timeline.axis", "timeline.cursor", "compose.chosen",
    "compose.security", "compose.held", "plan.add", "plan.change", "plan.remove",
    "setting.changed",
  ]
}
