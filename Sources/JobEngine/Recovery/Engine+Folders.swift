import Glibc
import InstallJobs
import JobJournal
import Logging
import PackageProvider

/// Job folders of which the journal knows nothing: it was lost, moved away, or is an older copy.
extension Engine {
  /// Takes jobs in again that still work, or whose end nobody has looked at, and gives none
  /// of their numbers again: a new job in the folder of an old one would write over its recording.
  ///
  /// What has ended stays a recording in its folder: which engine told its result, and what the
  /// package database said then, is lost with the journal.
  ///
  /// - Throws: A fault of the journal; nothing is changed then.
  func readmitJobsFromFolders() throws(InstallationError) {
    let known = try journal.lastJob()
    let found = JobRecording.all(inState: settings.stateFolder, after: known.rawValue)
    let loss = journal.loss
    guard loss != nil || !found.isEmpty else { return }
    let last = max(found.last?.id.rawValue ?? 0, loss?.jobs?.upperBound ?? 0, known.rawValue)
    let open = found.filter { $0.isBegun && !$0.isOver }
    let jobs = open.compactMap { folder -> ReadmittedJob? in
      guard var recorded = folder.recorded else { return nil }
      // The token may have been used again since.
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
    let events = try journal.readmit(
      jobs, lastJob: JobID(last), notice: text, at: settings.now())
    logger.error("\(text)")
    publish(events)
  }

  /// What is said of a journal that was further once.
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
