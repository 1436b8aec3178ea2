import InstallJobs
import PackageProvider

// A download-only job fetches archives, changes no package, and ends with a check of its archives.
extension JobMachine {
  /// Whether the job only fetches archives.
  var isDownloadOnly: Bool { snapshot.options.isDownloadOnly }

  /// The last phase of an update of this job.
  var lastPhase: UpdatePhase { isDownloadOnly ? .downloaded : .done }

  /// Ends a download-only job by the archives that are there, whatever the tools reported (promise
  /// 2).
  ///
  /// - Parameters:
  ///   - end: How the work ended; nil when the worker vanished.
  ///   - archives: The finding for each archive of the plan, by step.
  ///   - time: When the archives were checked.
  /// - Returns: The actions for the owner, in order.
  mutating func endDownload(
    _ end: WorkEnd?, _ archives: [Int: ArchiveFinding], at time: Timestamp
  ) -> [Action] {
    let old = snapshot.plan ?? []
    // Requests that need no archive are left to the job that installs.
    finishRequestsWithoutStep([], hasRun: true)
    if let error = end?.error, snapshot.error == nil { snapshot.error = error }
    for step in plan.steps.indices {
      // A step without an archive to fetch has its archive from the request itself.
      let finding = plan.archives[step] == nil ? .kept : archives[step] ?? .absent(nil)
      finish(step, finding, at: time)
    }
    let wasAborted = hasAcceptedAbort
    var code = OperationResultCode.overall(of: requestedCodes, wasAborted: wasAborted)
    let failures = (snapshot.plan ?? []).filter { $0.resultCode == .failed }
    let hasLeftOut = (snapshot.plan ?? []).contains { $0.resultCode == .notStarted }
    if code == .succeeded || code == .succeededWithErrors {
      if !failures.isEmpty { code = .succeededWithErrors }
      if hasLeftOut { code = wasAborted ? .aborted : .succeededWithErrors }
    }
    let error =
      code == .succeeded
      ? nil : remarked(explanation(failures, Verification(findings: []), end))
    stopwatch.stop()
    return finish(
      end == nil && code != .succeeded ? .interrupted : .completed, code: code, error: error,
      end: end, old: old, at: time) + learnActions
  }

  private mutating func finish(_ step: Int, _ finding: ArchiveFinding, at time: Timestamp) {
    guard let status = status(of: step) else { return }
    switch finding {
    case .present: setFinal(step, code: .succeeded, note: nil, at: time)
    case .kept: setFinal(step, code: .succeeded, note: .alreadyDownloaded, at: time)
    case .damaged(let error): setFinal(step, code: .failed, note: nil, error: error, at: time)
    case .absent where status.note == .alreadyInstalled:
      // Another job or process has installed the package since the job was planned.
      setFinal(step, code: .succeeded, note: .alreadyInstalled, at: time)
    case .absent(let error):
      guard let error = error ?? status.error else {
        let note: UpdateNote? = status.phase == .pending ? .notReached : nil
        return setFinal(step, code: .notStarted, note: note, at: time)
      }
      setFinal(step, code: .failed, note: nil, error: error, at: time)
    }
  }
}
