package import InstallJobs
package import PackageProvider

/// The boundary at which work stops, decided from the calls made and the operations to come.
///
/// Made while the gates are locked, so that no call of dpkg and no archive starts meanwhile. The
/// gates then enforce the decision.
package struct StopDecision: Sendable, Hashable {
  /// The answer to the request.
  package var answer: StopAnswer
  /// The names that the gate still lets through, in the gate's spelling.
  package var permittedNames: [String]

  /// Decides for a sequence of operations of which the gate has let the given calls through.
  ///
  /// - Parameters:
  ///   - calls: The lines of the job folder's `calls`, oldest first.
  ///   - sequence: The order of the whole work.
  ///   - plan: The frozen plan.
  ///   - names: The plan's names.
  package init(
    calls: [Substring], sequence: WorkSequence, plan: JobPlan, names: PlanNames
  ) {
    var boundaries = StopBoundaries(of: sequence, steps: plan.steps.count, names: names)
    for call in calls { boundaries.apply(call) }
    self.init(at: boundaries, plan: plan)
  }

  /// Decides for the calls that the boundaries have applied.
  init(at boundaries: StopBoundaries, plan: JobPlan) {
    answer = boundaries.answer
    permittedNames = boundaries.stepsBeforeStop.flatMap { Self.spellings(of: $0, in: plan) }
  }

  private static func spellings(of step: Int, in plan: JobPlan) -> [String] {
    let planned = plan.steps[step]
    var names = [planned.name, "\(planned.name):\(planned.architecture)"]
    if planned.action.unpacks { names.append(planned.archiveName) }
    if planned.architecture == "all" { names.append("\(planned.name):\(PlanNames.machine)") }
    if let archive = plan.archives[step] { names.append(archive.fileName) }
    for case let row in plan.requests where row.step == step {
      if let local = row.update.archive { names.append(local.sha256 + ".deb") }
    }
    return names
  }
}

extension StopDecision {
  /// The text of the job folder's `stop`.
  ///
  /// The answer comes first, so that a repeated request gets the same answer, then the record of
  /// the request, then the names for the gate, which compares whole lines.
  package func text(for record: StopRecord) -> String {
    let head: String
    switch answer {
    case .atOnce, .over, .impossible: head = "# at once"
    case .after(let step): head = "# after \(step)"
    case .finalStep(let step): head = "# final \(step)"
    }
    return ([head, record.line] + permittedNames).joined(separator: "\n") + "\n"
  }

  /// Parses the answer from such a text; nil when the text has none.
  package static func answer(recordedIn text: String) -> StopAnswer? {
    let words = text.prefix { $0 != "\n" }.split(separator: " ")
    guard words.first == "#", words.count > 1 else { return nil }
    if words[1] == "at" { return .atOnce }
    guard words.count > 2, let step = Int(words[2]) else { return nil }
    return words[1] == "after" ? .after(step: step) : .finalStep(step)
  }

  /// Returns such a text with another request and the same answer.
  static func text(_ text: String, for record: StopRecord) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if self.record(in: text) != nil { lines.remove(at: 1) }
    lines.insert(record.line, at: min(1, lines.count))
    return lines.joined(separator: "\n")
  }

  /// Parses the record of the request from such a text; nil where it has none.
  static func record(in text: String) -> StopRecord? {
    text.split(separator: "\n", maxSplits: 2).dropFirst().first.flatMap { StopRecord(line: $0) }
  }
}
