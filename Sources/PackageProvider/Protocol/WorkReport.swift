package import InstallJobs

/// One report of a job's work.
///
/// Step indices are indices in the plan's steps.
package enum WorkReport: Sendable, Hashable {
  /// The work entered a stage.
  case stage(WorkStage)
  /// Number of bytes of a step's archive that have arrived.
  case downloaded(step: Int, bytes: Int64)
  /// A step entered a phase. The engine ignores repeated and earlier phases.
  case phase(step: Int, UpdatePhase)
  /// The finished share of the present phase, 0...1, where it can be measured.
  case fraction(step: Int, Double)
  /// The tool reported a failure of a step, or of the whole job (nil).
  case failed(step: Int?, InstallationError)
  /// A configuration file of a step's package was changed both locally and by the package; the
  /// job's policy decided.
  case conffile(step: Int, path: String)
  /// The trigger of a package outside the plan runs; nil when it has ended.
  case trigger(String?)
  /// What the holder of the package lock does now, in words.
  case holderProgress(String)
  /// The present length of the log in bytes.
  case log(length: Int64)
  /// Any other sign that the work is alive.
  case alive
  /// The worker ended without an exit status, and its child processes still run; their end is
  /// awaited.
  case abandoned
  /// A fact, in words, that explains a failure of the job: processes that still run and are not
  /// awaited, a file of the job's folder that was emptied.
  case remark(String)
  /// The worker wrote its exit status; the last report.
  case ended(WorkEnd)
  /// The worker ended without an exit status; the last report.
  case lost
}

/// The stage of a job's work.
package enum WorkStage: Sendable, Hashable {
  case downloading
  /// Another process holds the package lock.
  case waitingForLock(LockHolder?)
  case installing
}

/// How the work of a job ended, before verification.
package struct WorkEnd: Sendable, Hashable, Codable {
  /// The exit status of the last tool that ran; 128 + n for signal n.
  package var exitStatus: Int32
  /// Whether the work stopped at a boundary because of a request to stop.
  package var stoppedAtBoundary: Bool
  /// Why the worker gave up although no tool failed: the lock's time-out, no space.
  package var error: InstallationError?
  /// When the worker wrote this value, by the machine's clock; nil where it wrote none.
  package var at: Timestamp?

  package init(exitStatus: Int32, stoppedAtBoundary: Bool, error: InstallationError? = nil) {
    self.exitStatus = exitStatus
    self.stoppedAtBoundary = stoppedAtBoundary
    self.error = error
  }
}

/// Reports that belong together, with the file offsets after reading them.
package struct WorkBatch: Sendable, Hashable {
  package var reports: [WorkReport]
  package var offsets: StreamOffsets

  package init(_ reports: [WorkReport], offsets: StreamOffsets = [:]) {
    self.reports = reports
    self.offsets = offsets
  }
}

/// Number of bytes read of each file in a job folder, by file name.
package typealias StreamOffsets = [String: Int64]
