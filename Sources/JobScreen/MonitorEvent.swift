package import Canvas
package import InstallJobs

/// What comes to the monitor: keys, the terminal, the engine.
package enum MonitorEvent: Sendable, Hashable {
  case key(Key)
  /// Pasted text; it never runs as keys.
  case paste(String)
  /// The mouse was used; comes only where the settings ask for it.
  case mouse(MouseInput)
  case resize(Size)
  /// The connection stands and the engine begins to tell what there is.
  case snapshotBegin
  /// Jobs without their plans.
  case snapshot([JobSnapshot])
  /// All jobs were told; events after `seq` follow.
  case snapshotEnd(seq: Int)
  case event(JobEvent)
  /// The plan that ``Intent/fetchPlan(_:)`` asked for.
  case plan(JobID, [UpdateStatus])
  /// A piece of the log that ``Intent/fetchLog(_:from:)`` asked for; `offset` in bytes.
  case logChunk(JobID, offset: Int64, text: String)
  case abortAnswer(JobID, AbortDisposition)
  /// A request was refused or failed.
  case failed(InstallationError, job: JobID? = nil)
  case link(LinkState)
  /// Why jobs must not be changed from here, by the rights that the engine granted; nil when they may.
  case readOnly(String?)
  /// Whoever runs the monitor has something to say.
  case notice(String, isAlert: Bool = false)
  /// The engine told about itself.
  case engine(EngineStatus)
  /// Four times a second, wanted only while ``MonitorState/wantsTick``.
  case tick
}

/// What the monitor wants done; whoever performs it tells the outcome as a ``MonitorEvent``.
package enum Intent: Sendable, Hashable {
  case requestAbort([JobID])
  case withdrawAbort(JobID)
  case cleanUp([JobID])
  case fetchPlan(JobID)
  /// `from` in bytes; nil asks for the last piece of the log, some 64 KiB.
  case fetchLog(JobID, from: Int64?)
  case reconnect
  case quit
  case suspend
  /// Draw everything anew, whatever the terminal is thought to show.
  case repaint
  /// Forget keys that were typed and not yet read: a dangerous dialogue opened.
  case discardInput
  /// Put the text into the terminal's clipboard.
  case copy(String)
}

/// How the monitor stands with the engine.
package enum LinkState: Sendable, Hashable {
  case connecting
  case live
  /// No answer for so many seconds.
  case stale(seconds: Int)
  /// The connection is gone; the next attempt in so many seconds, nil when none will be made.
  case lost(retryIn: Int?)

  /// Whether what is shown is what is.
  package var isLive: Bool { self == .live }
}
