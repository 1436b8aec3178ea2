package import Canvas
package import InstallJobs

/// An input of the monitor: from the keyboard, the terminal, the clock or the engine.
package enum MonitorEvent: Sendable, Hashable {
  case key(Key)
  /// Pasted text; it is never run as keys.
  case paste(String)
  /// A mouse action; arrives only if the preferences enable the mouse.
  case mouse(MouseEvent)
  case resize(Size)
  /// A typed line without its line end, in plain mode; nil at the end of the input.
  case line(String?)
  /// The name of the journal that the engine numbers jobs and events in; precedes the jobs.
  case journal(String)
  /// The connection is up and the engine begins to send its jobs.
  case snapshotBegin
  /// Jobs without their plans.
  case snapshot([JobSnapshot])
  /// All jobs were sent; events after `seq` follow.
  case snapshotEnd(seq: Int)
  case event(JobEvent)
  /// Progress events of several jobs, in order.
  case ticks([JobEvent])
  /// The plan requested by ``Intent/fetchPlan(_:)``.
  case plan(JobID, [UpdateStatus])
  /// A piece of the log requested by ``Intent/fetchLog(_:from:)``; `offset` in bytes.
  case logChunk(JobID, offset: Int64, text: String)
  /// The plan of the job in ``Intent/plan(_:)``.
  case planned(JobRequest, JobPlan)
  /// The engine refused the job of ``Intent/plan(_:)`` or ``Intent/submit(_:)``.
  case refused(JobRequest, InstallationError)
  /// The engine accepted the job of ``Intent/submit(_:)``, or of ``Intent/retry(_:)`` (no request).
  case submitted(JobSnapshot, of: JobRequest?)
  /// The page of the history requested by ``Intent/fetchHistory(after:)``; whole if it is the last.
  case past([JobSnapshot], isWhole: Bool)
  /// The packages requested by ``Intent/fetchUpgradable``.
  case upgradable([PlannedUpdate])
  case abortAnswer(JobID, AbortDisposition)
  /// The lock holder that the engine asked to yield.
  case yieldAnswer(LockHolder)
  /// The engine carried out a command.
  case answered(EngineCommand)
  /// A request was refused or failed.
  case failed(InstallationError, job: JobID? = nil, of: EngineCommand? = nil)
  /// A plan or a piece of a log could not be fetched.
  case unread(InstallationError, job: JobID)
  case link(LinkState)
  /// Why jobs must not be changed from here, by the rights that the engine granted; nil if they
  /// may.
  case readOnly(String?)
  /// A message from the process that runs the monitor.
  case notice(String, isAlert: Bool = false)
  /// The engine's status.
  case engine(EngineStatus)
  /// News about the replay of a job.
  case replay(ReplayNews)
  /// The time of this machine, for ages and time-outs.
  ///
  /// It is sent before each event is applied and at ``MonitorState/nextMoment``. It must not go
  /// back.
  case clock(Timestamp)
  /// Sent four times a second, only while ``MonitorState/wantsTick``.
  case tick
}

/// An action that the monitor asks its caller to perform; the caller reports the outcome as a
/// ``MonitorEvent``.
package enum Intent: Sendable, Hashable {
  case requestAbort([JobID])
  case cancelAbort(JobID)
  case cleanUp([JobID])
  /// Ring the terminal's bell because a job failed.
  case ringBell
  /// Pause or resume a job.
  case pauseJob(JobID)
  case resumeJob(JobID)
  /// Start no further jobs, or start jobs again.
  case pauseQueue
  case resumeQueue
  /// Ask the process that holds the package lock to let jobs go first.
  case askToYield
  /// Move a waiting job to another place in the queue.
  case move(JobID, QueueMove)
  /// Submit a new job with the packages of this job that did not succeed.
  case retry(JobID)
  /// Plan a job without submitting it.
  case plan(JobRequest)
  case submit(JobRequest)
  /// Fetch the packages that can be upgraded.
  case fetchUpgradable
  /// Draw with the theme of this name from now on.
  case useTheme(String)
  /// Turn mouse reporting on, or leave the mouse to the terminal.
  case useMouse(Bool)
  /// Save the preferences that the settings screen changed.
  case keep(Preferences)
  case fetchPlan(JobID)
  /// Fetch a page of ended jobs, newest first: the page after a job, or the first page if nil.
  case fetchHistory(after: JobID?)
  /// Fetch a piece of a job's log; `from` in bytes, nil for the last piece, some 64 KiB.
  case fetchLog(JobID, from: Int64?)
  /// Fetch an ended job with its durable events, delivered as ``ReplayNews``.
  ///
  /// A new request ends the reading for an earlier one.
  case fetchRecording(RecordingRequest)
  /// Stop reading a recording.
  case dropRecording(RecordingRequest)
  /// Fetch a piece of the log for a replay, some 64 KiB from this byte, delivered as
  /// ``ReplayNews``.
  case fetchRecordedLog(RecordingRequest, from: Int64)
  case reconnect
  case quit
  case suspend
  /// Redraw the whole screen, whatever the terminal is assumed to show.
  case repaint
  /// Discard typed keys that are not read yet, because a dangerous question opened.
  case discardInput
  /// Put the text into the terminal's clipboard.
  case copy(String)
}

/// The state of the connection to the engine.
package enum LinkState: Sendable, Hashable {
  case connecting
  case live
  /// The engine has not answered for this many seconds.
  case stale(seconds: Int)
  /// The connection is gone.
  ///
  /// The next attempt follows in `retryIn` seconds; nil means none.
  case lost(retryIn: Int?)
  /// The peer cannot be used.
  ///
  /// The next attempt follows in `retryIn` seconds.
  case refused(Refusal, retryIn: Int)

  /// Why the peer at the socket cannot be used.
  package enum Refusal: Sendable, Hashable {
    /// The peer is an engine of another version, or not an engine.
    case otherVersion
    /// The engine no longer lets this user read jobs.
    case notPermitted

    /// The refusal for an error's code; nil for any other code.
    package init?(_ error: InstallationError) {
      switch error.code {
      case .protocolMismatch: self = .otherVersion
      case .notPermitted: self = .notPermitted
      default: return nil
      }
    }
  }

  /// Whether the screen shows the present state of the engine.
  package var isLive: Bool { self == .live }

  /// Whether a connection is up, even if the engine is silent.
  var isConnected: Bool {
    switch self {
    case .live, .stale: true
    case .connecting, .lost, .refused: false
    }
  }

  /// Whether the engine has been silent for more than 60 seconds.
  var isSilentTooLong: Bool {
    if case .stale(let seconds) = self { seconds > 60 } else { false }
  }
}

extension MonitorEvent {
  /// Whether the event proves that the engine is alive.
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

  /// Whether to request the engine's status after this event: a pause or resume of the queue does
  /// not say what else keeps jobs from starting.
  package var needsStatusRequest: Bool {
    if case .event(let event) = self, case .engine(let notice) = event.payload {
      notice.isOfQueue
    } else {
      false
    }
  }

  /// Whether the user typed, pasted or clicked it.
  package var isInput: Bool {
    switch self {
    case .key, .paste, .mouse: true
    // The end of the input answers nothing and must not be discarded.
    case .line(let line): line != nil
    default: false
    }
  }
}
