package import InstallJobs

/// The states of a job that people tell apart: each has a glyph, a word and a colour.
package enum JobMark: Int, Sendable, Hashable, CaseIterable {
  case paused
  case queued
  case waiting
  case running
  case asking
  case abortAsked
  case stopping
  case aborted
  case cleaning
  case done
  case warned
  case failed
  case interrupted

  /// - Parameters:
  ///   - job: The job.
  ///   - isAbortAsked: Whether an abort was requested from here and is not answered.
  ///   - isCleaning: Whether a clean-up was requested from here and is not finished.
  package init(_ job: JobSnapshot, isAbortAsked: Bool, isCleaning: Bool) {
    self =
      switch job.state {
      case .completed, .interrupted: isCleaning && !job.isCleanedUp ? .cleaning : Self.ended(job)
      case .waitingForInput: .asking
      case _ where isAbortAsked: .abortAsked
      case .stopping: .stopping
      case _ where job.isStopping: .stopping
      case .queued: job.isPaused ? .paused : .queued
      case .waitingForLock: .waiting
      case .suspended: .paused
      case .downloading, .installing, .finalizing: .running
      }
  }

  /// The mark of an ended job, even if it is being cleaned up now.
  package static func ended(_ job: JobSnapshot) -> JobMark {
    if job.state == .interrupted { return .interrupted }
    return switch job.resultCode {
    case .succeeded: .done
    case .succeededWithErrors: .warned
    case .aborted: .aborted
    case .failed, .notStarted, .inProgress: .failed
    }
  }

  /// The states that have a glyph and a word of their own.
  package static let shown = allCases.filter { $0 != .abortAsked }

  /// The glyph: one cell in every UTF-8 terminal.
  package var glyph: Unicode.Scalar {
    switch self {
    case .paused: "="
    case .queued: "∙"
    case .waiting: "⧗"
    case .running: "▸"
    case .asking: "?"
    case .abortAsked, .stopping: "!"
    case .aborted: "⊘"
    case .cleaning: "↺"
    case .done: "✓"
    // A letter differs from `done` in one cell; a check mark would claim full success.
    case .warned: "w"
    case .failed: "✗"
    case .interrupted: "⊗"
    }
  }

  /// The letter for terminals that have only ASCII.
  package var letter: Unicode.Scalar {
    switch self {
    case .paused: "P"
    case .queued: "Q"
    case .waiting: "W"
    case .running: "R"
    case .asking: "?"
    case .abortAsked, .stopping: "!"
    case .aborted: "X"
    case .cleaning: "C"
    case .done: "D"
    case .warned: "w"
    case .failed: "F"
    case .interrupted: "I"
    }
  }

  /// Whether this is a final state.
  package var isOver: Bool {
    switch self {
    case .aborted, .done, .warned, .failed, .interrupted: true
    case .paused, .queued, .waiting, .running, .asking, .abortAsked, .stopping, .cleaning: false
    }
  }

  /// The word for counts: `2 running`.
  package var countWord: String {
    switch self {
    case .paused: "paused"
    case .queued: "queued"
    case .waiting: "waiting"
    case .running: "running"
    case .asking: "asking"
    case .abortAsked: "abort asked"
    case .stopping: "stopping"
    case .aborted: "aborted"
    case .cleaning: "cleaning"
    case .done: "done"
    case .warned: "with errors"
    case .failed: "failed"
    case .interrupted: "interrupted"
    }
  }
}

extension JobMark {
  /// The words by which a filter finds this state.
  ///
  /// A filter term is a single word.
  package var filterWords: [String] { self == .abortAsked ? ["asked"] : [countWord] }
}

extension JobSnapshot {
  /// Whether the job failed, succeeded with errors or was interrupted.
  package var isProblem: Bool {
    guard state.isFinal else { return false }
    return switch JobMark.ended(self) {
    case .failed, .interrupted, .warned: true
    default: false
    }
  }

  /// Whether an abort was accepted and the job has not ended yet.
  package var isStopping: Bool {
    guard !state.isFinal, let abort, case .accepted = abort.disposition else { return false }
    return true
  }
}
