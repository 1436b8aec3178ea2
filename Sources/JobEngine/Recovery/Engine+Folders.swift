import Glibc
import InstallJobs
import JobJournal
import Logging
import PackageProvider

/// Recovery of job folders that the journal does not know, because the journal was lost, moved
/// away, or is an older copy.
extension Engine {
  /// Readmits jobs that are still at work or whose end was not processed, and reserves the ids of
  /// all jobs found: a new job in the folder of an old one would overwrite its recording.
  ///
  /// Ended jobs stay recordings in their folders: their results and the findings in the package
  /// database are lost with the journal.
  ///
  /// - Throws: An error of the journal; nothing is changed then.
  func readmitJobsFromFolders() throws(InstallationError) {
    let known = try journal.lastJob()
    let found = JobRecording.all(inState: settings.stateFolder, after: known.rawValue)
    let loss = journal.loss
    guard loss != nil || !found.isEmpty else { return }
    let last = max(found.last?.id.rawValue ?? 0, loss?.jobs?.upperBound ?? 0, known.rawValue)
    let open = found.filter { $0.isBegun && !$0.isOver }
    let jobs = open.compactMap { folder -> ReadmittedJob? in
      guard var recorded = folder.recorded else { return nil }
      // The token may have been used again since then.
      recorded.request.options.token = nil
      let proposal = JobProposal(
        recorded.request, plan: recorded.plan, requestedBy: settings.owner, provider: provider.name)
      let now = settings.now()
      return ReadmittedJob(
        id: folder.id, proposal: proposal, submittedAt: min(folder.recordedAt ?? now, now))
    }
    var texts = loss.map { [Self.report($0)] } ?? []
    if !found.isEmpty {
      texts.append(
        Self.report(
          found: found, open: jobs.map(\.id), in: settings.stateFolder + "/jobs",
          unreadable: open.count - jobs.count))
    }
    let text = texts.joined(separator: ". ")
    let events = try journal.restoreJobs(
      jobs, lastJob: JobID(last), notice: text, at: settings.now())
    logger.error("\(text)")
    publish(events)
  }

  /// The notice about a journal that has lost events.
  static func report(_ loss: JournalLoss) -> String {
    var words = "the journal has lost its last \(loss.events) events"
    if let jobs = loss.jobs {
      words +=
        jobs.count == 1
        ? " and job \(jobs.lowerBound)" : " and the jobs \(jobs.lowerBound) to \(jobs.upperBound)"
    }
    return words + ": its write-ahead file was removed, or it is an older copy; submit again what"
      + " waited"
  }

  private static func report(
    found: [JobRecording], open: [JobID], in folder: String, unreadable: Int
  ) -> String {
    let numbers = found.count == 1 ? "job" : "jobs"
    var parts = [
      "the journal knows nothing of \(found.count) \(numbers) in \(folder): their recordings stay"
        + " there, and none of their numbers is given again; jobs that waited are lost with it"
    ]
    if !open.isEmpty {
      let names = open.prefix(10).map(\.description).joined(separator: ", ")
      parts.append("followed again: \(names)\(open.count > 10 ? " and others" : "")")
    }
    if unreadable > 0 { parts.append("\(unreadable) without a plan that can be read") }
    return parts.joined(separator: "; ")
  }
}
