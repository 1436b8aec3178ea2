import InstallJobs
import PackageProvider

// A job that fetches archives and changes no package goes from its downloads to the check of its archives.
extension JobMachine {
  /// Whether only archives are fetched.
  var isDownloadOnly: Bool { snapshot.options.isDownloadOnly }

  /// The phase in which nothing is left to do for an update.
  var lastPhase: UpdatePhase { isDownloadOnly ? .downloaded : .done }

  /// Ends such a job by what is there, whatever the tools said (promise 2).
  ///
  /// - Parameters:
  ///   - end: How the work ended; nil when it vanished.
  ///   - archives: What was found of each archive of the plan.
  ///   - time: When that was found.
  /// - Returns: What the owner has to do, in order.
  mutating func endDownload(
    _ end: WorkEnd?, _ archives: [Int: ArchiveFinding], at time: Timestamp
  ) -> [Action] {
    let old = snapshot.plan ?? []
    // What needs no archive is left to the job that installs.
    finishRequestsWithoutStep([], hasRun: true)
    if let error = end?.error, snapshot.error == nil { snapshot.error = error }
    for step in plan.steps.indices {
      // Without an archive to fetch it was submitted with the request.
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
      end: end, old: old, at: time) + lesson
  }

  private mutating func finish(_ step: Int, _ finding: ArchiveFinding, at time: Timestamp) {
    guard let status = status(of: step) else { return }
    switch finding {
    case .present: setFinal(step, code: .succeeded, note: nil, at: time)
    case .kept: setFinal(step, code: .succeeded, note: .alreadyDownloaded, at: time)
    case .damaged(let error): setFinal(step, code: .failed, note: nil, error: error, at: time)
    case .absent where status.note == .alreadyInstalled:
      // The package has come onto the machine since the job was planned.
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
