package import InstallJobs
package import PackageProvider

/// Where work that is asked to stop will stop: decided from what has been called and what is to come.
///
/// Made while the gates are locked, so that no call of dpkg and no archive begins meanwhile; the gates
/// then keep it.
package struct StopDecision: Sendable, Hashable {
  /// The answer for whoever asked.
  package var answer: StopAnswer
  /// The names that the gate still lets through, in its spelling.
  package var letThrough: [String]

  /// Decides for a sequence of operations of which the gate let the given calls through.
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

  /// Decides for the calls that the boundaries have taken.
  init(at boundaries: StopBoundaries, plan: JobPlan) {
    answer = boundaries.answer
    letThrough = boundaries.coming.flatMap { Self.spellings(of: $0, in: plan) }
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
  /// The text of the job folder's `stop`: the answer, so that asking again gives the same, who asked,
  /// and the names for the gate, which compares whole lines.
  package func text(for record: StopRecord) -> String {
    let head: String
    switch answer {
    case .atOnce, .over, .impossible: head = "# at once"
    case .after(let step): head = "# after \(step)"
    case .finalStep(let step): head = "# final \(step)"
    }
    return ([head, record.line] + letThrough).joined(separator: "\n") + "\n"
  }

  /// The answer that such a text records; nil when it is none.
  package static func answer(recordedIn text: String) -> StopAnswer? {
    let words = text.prefix { $0 != "\n" }.split(separator: " ")
    guard words.first == "#", words.count > 1 else { return nil }
    if words[1] == "at" { return .atOnce }
    guard words.count > 2, let step = Int(words[2]) else { return nil }
    return words[1] == "after" ? .after(step: step) : .finalStep(step)
  }

  /// Such a text for another request, with the same answer.
  static func text(_ text: String, for record: StopRecord) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if self.record(in: text) != nil { lines.remove(at: 1) }
    lines.insert(record.line, at: min(1, lines.count))
    return lines.joined(separator: "\n")
  }

  /// Who asked, as such a text has it; nil where it does not tell.
  static func record(in text: String) -> StopRecord? {
    text.split(separator: "\n", maxSplits: 2).dropFirst().first.flatMap { StopRecord(line: $0) }
  }
}
