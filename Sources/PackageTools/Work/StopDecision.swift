package import InstallJobs

/// Where work that is asked to stop will stop: decided from what has been called and what is to come.
///
/// Made while the gate is locked, so that no call of dpkg begins meanwhile; the gate then keeps it.
package struct StopDecision: Sendable, Hashable {
  /// The answer for whoever asked.
  package var answer: StopAnswer
  /// The names that the gate still lets through, in its spelling.
  package var letThrough: [String]

  /// Decides for a sequence of operations of which the gate let the given calls through.
  ///
  /// A boundary is a moment at which nothing is unpacked and not configured, no dependency is
  /// broken, and a call of dpkg that changes packages is about to begin.
  ///
  /// - Parameters:
  ///   - calls: The lines of the job folder's `calls`, oldest first.
  ///   - sequence: The order of the whole work.
  ///   - plan: The frozen plan.
  ///   - names: The plan's names.
  package init(
    calls: [Substring], sequence: WorkSequence, plan: JobPlan, names: PlanNames
  ) {
    let operations = sequence.operations
    guard !calls.isEmpty else {
      self.init(answer: .atOnce, letThrough: [])
      return
    }
    let position = Self.position(after: calls, in: operations, names: names)
    var pending: Set<Int> = []
    for (index, operation) in operations.enumerated() {
      let isBatchStart =
        index == 0 || operation.kind == .unpack || operations[index - 1].kind != operation.kind
      if index >= position, index > 0, operation.kind != .configure, isBatchStart, pending.isEmpty,
        !operations[index - 1].leavesBroken
      {
        let coming = operations[position..<index].filter { $0.kind != .configure }
        self.init(
          answer: .after(step: operations[index - 1].step),
          letThrough: coming.flatMap { Self.spellings(of: $0.step, in: plan) })
        return
      }
      switch operation.kind {
      case .unpack: pending.insert(operation.step)
      case .configure: pending.remove(operation.step)
      case .remove, .purge: break
      }
    }
    let last = operations.last?.step ?? max(0, plan.steps.count - 1)
    self.init(answer: .finalStep(last), letThrough: [])
  }

  private init(answer: StopAnswer, letThrough: [String]) {
    self.answer = answer
    self.letThrough = letThrough
  }

  // The index of the first operation that no call has reached.
  private static func position(
    after calls: [Substring], in operations: [WorkSequence.Operation], names: PlanNames
  ) -> Int {
    var last: [WorkSequence.Operation: Int] = [:]
    for (index, operation) in operations.enumerated() {
      last[.init(kind: operation.kind, step: operation.step)] = index
    }
    let lastChange = operations.lastIndex { $0.kind != .configure } ?? -1
    var position = 0
    for call in calls {
      let fields = call.split(separator: "\t")
      guard let word = fields.first, let kinds = Self.kinds[String(word)] else { continue }
      if fields.count > 1, fields[1] == "--pending" || fields[1] == "-a" {
        // A call for everything that waits: apt begins and ends its runs with some.
        if kinds.contains(.configure) {
          if position > lastChange { position = operations.count }
        } else if operations[position...].allSatisfy({ kinds.contains($0.kind) }) {
          position = operations.count
        }
        continue
      }
      for step in fields.dropFirst().compactMap({ names.step(named: $0) }) {
        for kind in kinds {
          guard let reached = last[.init(kind: kind, step: step)] else { continue }
          position = max(position, reached + 1)
        }
      }
    }
    return position
  }

  private static let kinds: [String: Set<WorkSequence.Kind>] = [
    "unpack": [.unpack], "configure": [.configure], "remove": [.remove, .purge],
    "purge": [.remove, .purge], "triggers-only": [.configure],
  ]

  private static func spellings(of step: Int, in plan: JobPlan) -> [String] {
    let planned = plan.steps[step]
    var names = [planned.name, "\(planned.name):\(planned.architecture)"]
    if planned.architecture == "all" { names.append("\(planned.name):\(PlanNames.machine)") }
    if let archive = plan.archives[step] { names.append(archive.fileName) }
    for case let row in plan.requests where row.step == step {
      if let local = row.update.archive { names.append(local.sha256 + ".deb") }
    }
    return names
  }
}

extension StopDecision {
  /// The text of the job folder's `stop`: the answer, so that asking again gives the same, and the
  /// names for the gate, which compares whole lines.
  package var text: String {
    let head: String
    switch answer {
    case .atOnce, .over, .impossible: head = "# at once"
    case .after(let step): head = "# after \(step)"
    case .finalStep(let step): head = "# final \(step)"
    }
    return ([head] + letThrough).joined(separator: "\n") + "\n"
  }

  /// The answer that such a text records; nil when it is none.
  package static func answer(recordedIn text: String) -> StopAnswer? {
    let words = text.prefix { $0 != "\n" }.split(separator: " ")
    guard words.first == "#", words.count > 1 else { return nil }
    if words[1] == "at" { return .atOnce }
    guard words.count > 2, let step = Int(words[2]) else { return nil }
    return words[1] == "after" ? .after(step: step) : .finalStep(step)
  }
}
