import InstallJobs

/// How a job ended, as counts and as one sentence.
struct JobEnding: Sendable, Hashable {
  var result: OperationResultCode
  var isInterrupted: Bool
  /// Names by outcome, of the plan where it is known, else of what was asked for.
  var succeeded: [String] = []
  var failed: [String] = []
  /// What the work was at when it was interrupted: half done, and no failure of the package's own.
  var cutOff: [String] = []
  var notStarted: [String] = []
  /// What was as it was wanted before the job.
  var there: [String] = []
  var absent: [String] = []
  /// Whose archive another job had fetched.
  var fetchedBefore: [String] = []
  /// What stayed as it was because it could not or must not be touched.
  var leftOut: [String] = []
  /// How many packages were changed besides what was asked for; 0 where the plan is not known.
  private var others = 0
  /// How many packages besides what was asked for failed, and were not begun.
  private var othersFailed = 0
  private var othersNotStarted = 0
  /// `34 of 170 packages done`; nil where all are.
  private var progress: String?
  /// Configuration files that were kept or replaced.
  private var conffiles: [ConffileChange]
  private var verb: String
  private var presence: String
  private var error: String?
  private var needsRepair: Bool
  /// Whether what was stopped left nothing half done.
  private var isWhole: Bool
  private var needsRestart: Bool

  /// The ending of `job`; nil while it is not over.
  init?(_ job: JobSnapshot) {
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
    conffiles = (job.plan ?? job.updates).flatMap(\.conffiles)
    // Of a success all that was planned is done, as the plan said.
    if result != .succeeded {
      others = (job.plan ?? []).count { !$0.planned.requested && $0.resultCode == .succeeded }
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
      case .succeeded where update.note == .alreadyInstalled: there.append(update.name)
      case .succeeded where update.note == .notInstalled: absent.append(update.name)
      case .succeeded where update.note == .alreadyDownloaded: fetchedBefore.append(update.name)
      case .succeeded where update.note == .notReached: leftOut.append(update.name)
      case .succeeded, .succeededWithErrors: succeeded.append(update.name)
      case .failed where update.wasCutOff(in: job): cutOff.append(update.name)
      case .failed: failed.append(update.name)
      case .notStarted, .inProgress, .aborted:
        switch update.note {
        case .alreadyInstalled: there.append(update.name)
        case .notInstalled: absent.append(update.name)
        default: notStarted.append(update.name)
        }
      }
    }
  }

  /// The word: `succeeded`, `succeeded with errors`, `failed`, `aborted`, `interrupted`.
  var word: String {
    if isInterrupted { return "interrupted" }
    return switch result {
    case .succeeded: "succeeded"
    case .succeededWithErrors: "succeeded with errors"
    case .failed, .notStarted, .inProgress: "failed"
    case .aborted: "aborted"
    }
  }

  /// The result in the spelling of the JSON contract's table: `succeededWithErrors`.
  var name: String {
    if isInterrupted { return "interrupted" }
    return switch result {
    case .succeeded: "succeeded"
    case .succeededWithErrors: "succeededWithErrors"
    case .failed, .notStarted, .inProgress: "failed"
    case .aborted: "aborted"
    }
  }

  /// `aborted: hello installed; tree, sl not started`, at most four names of a kind.
  var sentence: String { sentence(names: 4) }

  /// The same with up to a hundred names of a kind.
  var longSentence: String { sentence(names: 100) }

  private func sentence(names: Int) -> String {
    var parts: [String] = []
    if !succeeded.isEmpty { parts.append("\(Self.list(succeeded, most: names)) \(verb)") }
    if others > 0 { parts.append("\(Figures.count(others, "other package")) \(verb)") }
    if !there.isEmpty { parts.append("\(Self.list(there, most: names)) \(presence) already") }
    if !fetchedBefore.isEmpty {
      parts.append("\(Self.list(fetchedBefore, most: names)) downloaded already")
    }
    if !absent.isEmpty { parts.append("\(Self.list(absent, most: names)) not there anyway") }
    if !leftOut.isEmpty { parts.append("\(Self.list(leftOut, most: names)) left out") }
    if !failed.isEmpty { parts.append("\(Self.list(failed, most: names)) failed") }
    if !cutOff.isEmpty { parts.append("\(Self.list(cutOff, most: names)) interrupted") }
    if !notStarted.isEmpty {
      parts.append("\(Self.list(notStarted, most: names)) not started")
    }
    if othersFailed > 0 { parts.append("\(Figures.count(othersFailed, "other package")) failed") }
    if othersNotStarted > 0 {
      parts.append("\(Figures.count(othersNotStarted, "other package")) not started")
    }
    if let progress, othersNotStarted + othersFailed > 0 { parts.insert(progress, at: 0) }
    if parts.isEmpty { parts.append("nothing to do") }
    if !conffiles.isEmpty { parts.append(conffiles.sentence) }
    if let error, result != .succeeded { parts.append(error) }
    if isWhole, !succeeded.isEmpty { parts.append("none half done") }
    if needsRepair { parts.append("needs repair") }
    if needsRestart { parts.append("restart needed") }
    return "\(word): " + parts.joined(separator: "; ")
  }

  /// At most `most` names, or one less and how many more.
  static func list(_ names: [String], most: Int = 4) -> String {
    if names.count <= most { return names.joined(separator: ", ") }
    return names.prefix(most - 1).joined(separator: ", ") + " and \(names.count - most + 1) more"
  }
}

extension UpdateStatus {
  /// Whether the work has not begun with it.
  fileprivate var isNotBegun: Bool {
    switch resultCode {
    case .notStarted, .inProgress, .aborted: true
    case .succeeded, .succeededWithErrors, .failed: false
    }
  }

  /// Whether it is left as the end of the work of an interrupted job found it: nothing of its own
  /// failed.
  func wasCutOff(in job: JobSnapshot) -> Bool {
    job.state == .interrupted && resultCode == .failed && error?.code == .notVerified
  }
}
