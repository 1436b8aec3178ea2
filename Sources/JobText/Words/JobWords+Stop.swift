import InstallJobs

/// Where and when an abort stops a job.
extension JobWords {
  /// When an abort takes effect.
  package var stop: StopPromise? { StopPromise(job) }

  /// The effect of an accepted abort: `stops after libc6 (about 7s)`.
  func stopSentence(_ disposition: AbortDisposition) -> String {
    guard case .accepted(let name?, _) = disposition else { return disposition.sentence(for: job) }
    return "stops after \(name)" + (stop?.words(at: time).map { " (\($0))" } ?? "")
  }

  /// The effect of an abort now (row C24): `safe to stop: nothing unpacked`, `stops after X`.
  ///
  /// For an accepted abort also its requester and time; a time of day stays correct without
  /// redrawing.
  package func safePoint(offset: Int) -> String {
    if job.state.isFinal { return "" }
    if isAbortAsked {
      let ago = abortAge.map { $0 > 0 ? " \(Figures.duration(Double($0))) ago" : "" } ?? ""
      return "abort asked for\(ago): "
        + (isUnacknowledged
          ? "not acknowledged, the engine has not answered" : "the engine has not answered yet")
    }
    if let abort = job.abort, case .accepted = abort.disposition {
      let asked = Figures.time(abort.requestedAt, offset: offset)
      return stopSentence(abort.disposition)
        + " · asked for by \(abort.requestedBy.user) at \(asked)"
    }
    return outdated(offset: offset) + preview
  }

  /// The stop point in about thirty letters: `abort: after libc6 ~7s`; nil if it is unknown
  /// or out of date, and while an abort request is unanswered.
  package var shortSafePoint: String? {
    guard !job.state.isFinal, !isAbortAsked, !isOutdated else { return nil }
    let disposition = job.abort?.disposition ?? job.abortPreview
    guard let name = disposition.stopsAfter else { return nil }
    return "abort: after \(name)" + (stop?.tails(at: time)?.first.map { " " + $0 } ?? "")
  }

  /// The prefix for statements that may be out of date: `as of 12:03:04: `.
  private func outdated(offset: Int) -> String {
    guard isOutdated else { return "" }
    return knownAt.map { "as of \(Figures.time($0, offset: offset)): " } ?? "last known: "
  }

  private var preview: String {
    switch job.abortPreview {
    case .accepted(stopsAfter: nil, _) where job.state == .queued: "safe to stop: not begun"
    case .accepted(stopsAfter: nil, _) where isPast:
      "an abort then would have stopped at once, \(job.stateAfterStop)"
    case .accepted(stopsAfter: nil, _): "safe to stop: \(job.stateAfterStop)"
    case .accepted(let name?, _) where isPast: "an abort then would have stopped after \(name)"
    case .accepted(let name?, _):
      "abort now would stop after \(name)" + (stop?.words(at: time).map { " (\($0))" } ?? "")
    case .refused(let reason) where reason.code == .finalStep && isLastStepDone:
      "ending: the last step is done, the result is verified next"
    case .refused(let reason): "cannot stop: \(reason.message)"
    case .alreadyCompleted: "nothing left to stop"
    }
  }

  /// Whether the package at work is done and is the last one of the plan.
  private var isLastStepDone: Bool {
    guard let current, let step = job.currentStepIndex, step >= job.planCount - 1 else {
      return false
    }
    return current.resultCode.isFinal || current.phase == .done
      || current.percentComplete >= 100
  }
}
