package import InstallJobs

/// One thing that the work of a job reports.
///
/// Indices are indices of the plan's steps.
package enum WorkReport: Sendable, Hashable {
  /// The work enters a stage.
  case stage(WorkStage)
  /// So many bytes of a step's archive have arrived.
  case downloaded(step: Int, bytes: Int64)
  /// A step enters a phase. Repeats and steps back are harmless: the engine ignores them.
  case phase(step: Int, UpdatePhase)
  /// Share of the present phase that is done, 0...1, where it can be measured.
  case fraction(step: Int, Double)
  /// The tool reported a failure; of a step, or of the job as a whole (nil).
  case failed(step: Int?, InstallationError)
  /// A configuration file of a step's package was changed on both sides; the job's policy decided.
  case conffile(step: Int, path: String)
  /// A package outside the plan works: a trigger. Nil when it is done.
  case trigger(String?)
  /// What the holder of the package lock does now, in words.
  case holderProgress(String)
  /// The log is now so many bytes long.
  case log(length: Int64)
  /// Any other sign of life.
  case alive
  /// The worker is gone without an exit status, and what it ran goes on: its end is waited for.
  case abandoned
  /// A fact, in words, that explains the job's end if it does not succeed: what still runs and is not
  /// waited for, a file of its folder that was emptied.
  case remark(String)
  /// The worker left its exit status: nothing more will come.
  case ended(WorkEnd)
  /// The worker is gone without an exit status: nothing more will come.
  case lost
}

/// The stage of a job's work.
package enum WorkStage: Sendable, Hashable {
  case downloading
  /// Somebody else holds the package lock.
  case waitingForLock(LockHolder?)
  case installing
}

/// How the work of a job ended, before any verification.
package struct WorkEnd: Sendable, Hashable, Codable {
  /// The exit status of the last tool that ran; 128 + n for signal n.
  package var exitStatus: Int32
  /// Whether the work stopped at a boundary because it was asked to.
  package var stoppedAtBoundary: Bool
  /// Why the worker itself gave up, where no tool did: the lock's time ran out, no space.
  package var error: InstallationError?
  /// When the worker wrote this, by the machine's clock; nil where none did.
  package var at: Timestamp?

  package init(exitStatus: Int32, stoppedAtBoundary: Bool, error: InstallationError? = nil) {
    self.exitStatus = exitStatus
    self.stoppedAtBoundary = stoppedAtBoundary
    self.error = error
  }
}

/// Reports that belong together, with the file offsets they consumed.
package struct WorkBatch: Sendable, Hashable {
  package var reports: [WorkReport]
  package var offsets: StreamOffsets

  package init(_ reports: [WorkReport], offsets: StreamOffsets = [:]) {
    self.reports = reports
    self.offsets = offsets
  }
}

/// How far each file of a job folder has been read, in bytes, by file name.
package typealias StreamOffsets = [String: Int64]
