package import InstallJobs

/// How a job ended, as counts and as one sentence.
package struct JobEnding: Sendable, Hashable {
  /// The job's result code.
  package let result: OperationResultCode
  private let isInterrupted: Bool
  /// Names of the requested packages, by outcome; here those on which the operation succeeded.
  private(set) var succeeded: [String] = []
  private(set) var failed: [String] = []
  /// Packages at work when the job was interrupted.
  ///
  /// They are half done; no error of their own occurred.
  private(set) var interrupted: [String] = []
  private(set) var notStarted: [String] = []
  /// Packages that needed no work because they were installed already, or whole for a repair.
  private(set) var alreadyInstalled: [String] = []
  /// Packages that needed no removal because they were not installed.
  private(set) var absent: [String] = []
  /// Packages whose archive an earlier job had fetched.
  private(set) var fetchedBefore: [String] = []
  /// Packages that stayed unchanged because they could not or must not be changed.
  private(set) var leftOut: [String] = []
  /// Packages that the job removed besides the requested ones; empty if the plan is not known.
  private(set) var removed: [String] = []
  /// Number of packages in the plan.
  private var planned: Int
  /// Number of packages changed besides the requested ones; 0 if the plan is not known.
  private var others = 0
  /// Number of packages besides the requested ones that failed.
  private var othersFailed = 0
  /// Number of packages besides the requested ones that were not started.
  private var othersNotStarted = 0
  /// `34 of 170 packages done`; nil after a success, and for a plan of one package.
  private var progress: String?
  /// Configuration files that were kept or replaced.
  private var conffiles: [ConffileChange]
  private var verb: String
  private var presence: String
  private var error: String?
  private var needsRepair: Bool
  /// Whether the job was aborted after its start and left no package half done.
  private var isWhole: Bool
  private var needsRestart: Bool

  /// The ending of `job`; nil if the job has not ended.
  package init?(_ job: JobSnapshot) {
    guard job.state.isFinal else { return nil }
    result = job.resultCode
    isInterrupted = job.state == .interrupted
    verb = job.past
    presence = job.operation.presence
    isWhole =
      !job.options.isDownloadOnly && result == .aborted && job.repairs.isEmpty
      && job.startedAt != nil
    error = job.error?.message
    needsRepair = !job.repairs.isEmpty
    needsRestart = job.requiresReboot
    planned = job.planCount
    let added = (job.plan ?? []).filter { !$0.planned.requested && $0.resultCode == .succeeded }
    removed = added.filter(\.planned.action.removes).map(\.name)
    conffiles = (job.plan ?? job.updates).flatMap(\.conffiles)
    // After a success all planned packages are done, so the counts would add nothing.
    if result != .succeeded {
      others = added.count - removed.count
      let counts = job.counts ?? job.plan.map { ResultCounts($0) }
      if let counts, counts.total > 1 {
        progress = "\(counts.succeeded) of \(Figures.count(counts.total, "package")) done"
        let asked = Set(
          job.updateSteps.enumerated().compactMap { index, step in
            step != nil && job.updates[index].isNotBegun ? step : nil
          }
        ).count
        othersNotStarted = max(0, counts.notStarted - asked)
        let failed = Set(
          job.updateSteps.enumerated().compactMap { index, step in
            step != nil && job.updates[index].resultCode == .failed ? step : nil
          }
        ).count
        othersFailed = max(0, counts.failed - failed)
      }
    }
    for update in job.updates {
      switch update.resultCode {
      case .succeeded where update.note == .alreadyInstalled: alreadyInstalled.append(update.name)
      case .succeeded where update.note == .notInstalled: absent.append(update.name)
      case .succeeded where update.note == .alreadyDownloaded: fetchedBefore.append(update.name)
      case .succeeded where update.note == .notReached: leftOut.append(update.name)
      case .succeeded, .succeededWithErrors: succeeded.append(update.name)
      case .failed where update.wasCutOff(in: job): interrupted.append(update.name)
      case .failed: failed.append(update.name)
      case .notStarted, .inProgress, .aborted:
        switch update.note {
        case .alreadyInstalled: alreadyInstalled.append(update.name)
        case .notInstalled: absent.append(update.name)
        default: notStarted.append(update.name)
        }
      }
    }
  }

  /// The word: `succeeded`, `succeeded with errors`, `failed`, `aborted`, `interrupted`.
  package var word: String {
    if isInterrupted { return "interrupted" }
    return switch result {
    case .succeeded: "succeeded"
    case .succeededWithErrors: "succeeded with errors"
    case .failed, .notStarted, .inProgress: "failed"
    case .aborted: "aborted"
    }
  }

  /// The result in the spelling of the JSON contract's table: `succeededWithErrors`.
  package var name: String {
    if isInterrupted { return "interrupted" }
    return switch result {
    case .succeeded: "succeeded"
    case .succeededWithErrors: "succeededWithErrors"
    case .failed, .notStarted, .inProgress: "failed"
    case .aborted: "aborted"
    }
  }

  /// `aborted: hello installed; tree, sl not started`, with at most four names for each outcome.
  package var sentence: String { sentence(names: 4) }

  /// The sentence with up to a hundred names for each outcome.
  package var longSentence: String { sentence(names: 100) }

  private func sentence(names: Int) -> String {
    var parts: [String] = []
    if !succeeded.isEmpty { parts.append("\(Self.list(succeeded, most: names)) \(verb)") }
    if others > 0 { parts.append("\(Figures.count(others, "other package")) \(verb)") }
    if !alreadyInstalled.isEmpty {
      parts.append("\(Self.list(alreadyInstalled, most: names)) \(presence) already")
    }
    if !fetchedBefore.isEmpty {
      parts.append("\(Self.list(fetchedBefore, most: names)) downloaded already")
    }
    if !absent.isEmpty { parts.append("\(Self.list(absent, most: names)) not there anyway") }
    if !leftOut.isEmpty { parts.append("\(Self.list(leftOut, most: names)) left out") }
    if !removed.isEmpty {
      parts.append("\(Self.list(removed, most: names)) removed" + (parts.isEmpty ? "" : ", too"))
    }
    if !failed.isEmpty { parts.append("\(Self.list(failed, most: names)) failed") }
    if !interrupted.isEmpty { parts.append("\(Self.list(interrupted, most: names)) interrupted") }
    if !notStarted.isEmpty {
      parts.append("\(Self.list(notStarted, most: names)) not started")
    }
    if othersFailed > 0 { parts.append("\(Figures.count(othersFailed, "other package")) failed") }
    if othersNotStarted > 0 {
      parts.append("\(Figures.count(othersNotStarted, "other package")) not started")
    }
    if let progress, othersNotStarted + othersFailed > 0 { parts.insert(progress, at: 0) }
    if parts.isEmpty {
      parts.append(planned > 0 ? "\(Figures.count(planned, "package")) changed" : "nothing to do")
    }
    if !conffiles.isEmpty { parts.append(conffiles.sentence) }
    if let error, result != .succeeded { parts.append(error) }
    if isWhole, !succeeded.isEmpty { parts.append("none half done") }
    if needsRepair { parts.append("needs repair") }
    if needsRestart { parts.append("restart needed") }
    return "\(word): " + parts.joined(separator: "; ")
  }

  /// All names if there are at most `most`; otherwise `most - 1` names and the number of the
  /// others.
  package static func list(_ names: [String], most: Int = 4) -> String {
    if names.count <= most { return names.joined(separator: ", ") }
    return names.prefix(most - 1).joined(separator: ", ") + " and \(names.count - most + 1) more"
  }
}

extension UpdateStatus {
  /// Whether work on the package has not begun.
  fileprivate var isNotBegun: Bool {
    switch resultCode {
    case .notStarted, .inProgress, .aborted: true
    case .succeeded, .succeededWithErrors, .failed: false
    }
  }

  /// Whether the package was at work when `job` was interrupted; no error of its own occurred.
  func wasCutOff(in job: JobSnapshot) -> Bool {
    job.state == .interrupted && resultCode == .failed && error?.code == .notVerified
  }
}
