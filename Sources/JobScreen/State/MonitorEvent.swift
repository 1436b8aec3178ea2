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
  /// A line typed where there is no screen, without its end; nil when the input is over.
  case line(String?)
  /// The name of the journal that the engine numbers jobs and events in; comes before its jobs.
  case journal(String)
  /// The connection stands and the engine begins to tell what there is.
  case snapshotBegin
  /// Jobs without their plans.
  case snapshot([JobSnapshot])
  /// All jobs were told; events after `seq` follow.
  case snapshotEnd(seq: Int)
  case event(JobEvent)
  /// Several jobs moved: progress events, in order.
  case ticks([JobEvent])
  /// The plan that ``Intent/fetchPlan(_:)`` asked for.
  case plan(JobID, [UpdateStatus])
  /// A piece of the log that ``Intent/fetchLog(_:from:)`` asked for; `offset` in bytes.
  case logChunk(JobID, offset: Int64, text: String)
  /// What the job of ``Intent/plan(_:)`` would do.
  case planned(JobRequest, JobPlan)
  /// The job of ``Intent/plan(_:)`` or ``Intent/submit(_:)`` is refused.
  case refused(JobRequest, InstallationError)
  /// The job of ``Intent/submit(_:)``, or of ``Intent/retry(_:)`` without a request, was accepted.
  case submitted(JobSnapshot, of: JobRequest?)
  /// The page of the history that ``Intent/fetchHistory(after:)`` asked for; whole when nothing is
  /// behind it.
  case past([JobSnapshot], isWhole: Bool)
  /// What ``Intent/fetchUpgradable`` asked for.
  case upgradable([PlannedUpdate])
  case abortAnswer(JobID, AbortDisposition)
  /// Who was asked to let jobs go first.
  case yieldAnswer(LockHolder)
  /// The engine has done what was asked for.
  case answered(Order)
  /// A request was refused or failed.
  case failed(InstallationError, job: JobID? = nil, of: Order? = nil)
  /// A plan or a piece of a log could not be had.
  case unread(InstallationError, job: JobID)
  case link(LinkState)
  /// Why jobs must not be changed from here, by the rights that the engine granted; nil when they may.
  case readOnly(String?)
  /// Whoever runs the monitor has something to say.
  case notice(String, isAlert: Bool = false)
  /// The engine told about itself.
  case engine(EngineStatus)
  /// Something about the replay of a job.
  case replay(ReplayNews)
  /// The time of this machine, for ages: told before what came is taken in, and at
  /// ``MonitorState/nextMoment``. It must not go back.
  case clock(Timestamp)
  /// Four times a second, wanted only while ``MonitorState/wantsTick``.
  case tick
}

/// What the monitor wants done; whoever performs it tells the outcome as a ``MonitorEvent``.
package enum Intent: Sendable, Hashable {
  case requestAbort([JobID])
  case withdrawAbort(JobID)
  case cleanUp([JobID])
  /// Ring the terminal's bell: a job failed.
  case ringBell
  /// Hold a job, or let it go on.
  case hold(JobID)
  case release(JobID)
  /// Let no further job begin, or let jobs begin again.
  case pauseQueue
  case resumeQueue
  /// Ask the foreign process that holds the package lock to let jobs go first.
  case askToYield
  /// Give a job that waits another place in the queue.
  case move(JobID, QueueMove)
  /// A new job with what did not succeed of this one.
  case retry(JobID)
  /// What a job would do.
  case plan(JobRequest)
  case submit(JobRequest)
  /// Which packages could be upgraded.
  case fetchUpgradable
  /// Draw with the theme of this name from now on.
  case useTheme(String)
  /// Take the mouse, or leave it to the terminal.
  case useMouse(Bool)
  /// Keep what was changed on the settings screen.
  case keep(Preferences)
  case fetchPlan(JobID)
  /// A page of jobs that are over, the last ended first; behind a job, or the first page.
  case fetchHistory(after: JobID?)
  /// `from` in bytes; nil asks for the last piece of the log, some 64 KiB.
  case fetchLog(JobID, from: Int64?)
  /// A job that is over with its durable events, told as ``ReplayNews``.
  ///
  /// One that was asked for before is not read on.
  case fetchRecording(RecordingRequest)
  /// Read a recording no further.
  case dropRecording(RecordingRequest)
  /// A piece of the log for a replay, some 64 KiB from this byte on, told as ``ReplayNews``.
  case fetchRecordedLog(RecordingRequest, from: Int64)
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
  /// Something answers that cannot be talked to; the next attempt in so many seconds.
  case refused(Refusal, retryIn: Int)

  /// Why something that answers cannot be talked to.
  package enum Refusal: Sendable, Hashable {
    /// It is an engine of another version, or no engine at all.
    case otherVersion
    /// It no longer lets this user look.
    case notPermitted

    /// Nil for an error that is none of these.
    package init?(_ error: InstallationError) {
      switch error.code {
      case .protocolMismatch: self = .otherVersion
      case .notPermitted: self = .notPermitted
      default: return nil
      }
    }
  }

  /// Whether what is shown is what is.
  package var isLive: Bool { self == .live }

  /// Whether there is a connection through which the present can be told.
  var tellsPresent: Bool {
    switch self {
    case .live, .stale: true
    case .connecting, .lost, .refused: false
    }
  }

  /// Whether the engine has been silent for so long that it is taken for lost: a minute.
  var isTakenForLost: Bool {
    if case .stale(let seconds) = self { seconds > 60 } else { false }
  }
}

extension MonitorEvent {
  /// Whether it is a sign of life of the engine.
  package var isHeard: Bool {
    switch self {
    case .journal, .snapshotBegin, .snapshot, .snapshotEnd, .event, .ticks, .plan, .logChunk,
      .planned, .refused,
      .submitted, .upgradable, .past, .abortAnswer, .yieldAnswer, .answered,
      .engine:
      true
    case .replay(let news): news.isHeard
    case .key, .paste, .mouse, .resize, .line, .failed, .unread, .link, .readOnly, .notice,
      .clock, .tick:
      false
    }
  }

  /// Whether the engine is to be asked about itself: that its queue was paused or goes on does not
  /// tell what else keeps it.
  package var isWorthAsking: Bool {
    if case .event(let event) = self, case .engine(let notice) = event.payload {
      notice.isOfQueue
    } else {
      false
    }
  }

  /// Whether it was typed, pasted or clicked.
  package var isInput: Bool {
    switch self {
    case .key, .paste, .mouse: true
    // The end of the input is no answer to anything and must not be lost.
    case .line(let line): line != nil
    default: false
    }
  }
}
