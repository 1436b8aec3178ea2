import InstallJobs
import PackageProvider

/// The moments at which work can be stopped, and how far it has come.
///
/// A boundary is a moment at which no dependency is broken and an archive, or a call of dpkg that
/// removes packages, is about to begin. What is merely unpacked then is configured by the worker.
/// Asked for after each phase of each package, so everything that can is looked up once.
struct StopBoundaries: Sendable {
  private let operations: [WorkSequence.Operation]
  private let steps: Int
  private let names: PlanNames
  private var indices: [WorkSequence.Operation: Int] = [:]
  private let lastChange: Int
  /// For each position, the next boundary from there on; the count of operations where none comes.
  private var next: [Int]
  /// For each position, the step that was changed last before it; nil where none was.
  private var changedBefore: [Int?]
  // Behind the last operation that changes packages and that a call has reached; the end once
  // everything that waits is configured and nothing comes after that.
  private var position = 0
  private var hasCalls = false

  /// The boundaries of work that has not begun.
  ///
  /// - Parameters:
  ///   - sequence: The order of the whole work.
  ///   - steps: How many steps the plan has.
  ///   - names: The plan's names.
  init(of sequence: WorkSequence, steps: Int, names: PlanNames) {
    operations = sequence.operations
    self.steps = steps
    self.names = names
    lastChange = operations.lastIndex { $0.kind != .configure } ?? -1
    next = Array(repeating: operations.count, count: operations.count + 1)
    changedBefore = Array(repeating: nil, count: operations.count + 1)
    for (index, operation) in operations.enumerated() {
      indices[.init(kind: operation.kind, step: operation.step)] = index
      changedBefore[index + 1] =
        operation.kind == .configure ? changedBefore[index] : operation.step
    }
    for index in operations.indices.reversed() {
      next[index] = isBoundary(index) ? index : next[index + 1]
    }
  }

  private func isBoundary(_ index: Int) -> Bool {
    guard index > 0, operations[index].kind != .configure, changedBefore[index] != nil,
      !operations[index - 1].leavesBroken
    else { return false }
    // A call of dpkg that removes several packages is one.
    return operations[index].kind == .unpack
      || operations[index - 1].kind != operations[index].kind
  }

  /// Takes the next line of the job folder's `calls`.
  mutating func apply(_ call: Substring) {
    hasCalls = true
    let fields = call.split(separator: "\t")
    guard let word = fields.first, let kinds = Self.kinds[String(word)] else { return }
    if fields.count > 1, fields[1] == "--pending" || fields[1] == "-a" {
      // A call for everything that waits: apt begins and ends its runs with some.
      if kinds.contains(.configure) {
        if position > lastChange { position = operations.count }
      } else if operations[position...].allSatisfy({ kinds.contains($0.kind) }) {
        position = operations.count
      }
      return
    }
    // What is configured was unpacked before, and stands behind all of that in apt's order.
    for kind in kinds where kind != .configure {
      for field in fields.dropFirst() {
        guard let step = names.step(named: field),
          let reached = indices[.init(kind: kind, step: step)]
        else { continue }
        position = max(position, reached + 1)
      }
    }
  }

  /// What a request to stop would be answered.
  var answer: StopAnswer {
    guard hasCalls else { return .atOnce }
    let boundary = next[position]
    guard boundary < operations.count, let step = changedBefore[boundary] else {
      return .finalStep(operations.last?.step ?? max(0, steps - 1))
    }
    return .after(step: step)
  }

  /// The steps that are changed before work stops.
  var coming: [Int] {
    guard hasCalls, next[position] < operations.count else { return [] }
    return operations[position..<next[position]].filter { $0.kind != .configure }.map(\.step)
  }

  private static let kinds: [String: Set<WorkSequence.Kind>] = [
    "unpack": [.unpack], "configure": [.configure], "remove": [.remove, .purge],
    "purge": [.remove, .purge], "triggers-only": [.configure],
  ]
}
