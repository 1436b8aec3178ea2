import InstallJobs
import PackageProvider

/// The points at which work can be stopped, and the progress of the work.
///
/// A boundary is a point at which no dependency is broken and the next operation is the unpacking
/// of an archive or a call of dpkg that removes packages. The worker configures the packages that
/// are unpacked then. The answer is needed after each phase of each package, so lookup tables are
/// computed once.
struct StopBoundaries: Sendable {
  private let operations: [WorkSequence.Operation]
  private let steps: Int
  private let names: PlanNames
  private var indices: [WorkSequence.Operation: Int] = [:]
  private let lastChange: Int
  /// For each position, the next boundary at or after it; the number of operations where none
  /// follows.
  private var next: [Int]
  /// For each position, the step of the last change before it; nil where there is none.
  private var changedBefore: [Int?]
  // The index after the last operation that changes packages and that a call has reached. The
  // number of operations once all packages are configured and no change follows.
  private var position = 0
  private var hasCalls = false

  /// Creates the boundaries of work that has not started.
  ///
  /// - Parameters:
  ///   - sequence: The order of the whole work.
  ///   - steps: The number of steps in the plan.
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
    // A call of dpkg that removes several packages is one operation.
    return operations[index].kind == .unpack
      || operations[index - 1].kind != operations[index].kind
  }

  /// Applies the next line of the job folder's `calls`.
  mutating func apply(_ call: Substring) {
    hasCalls = true
    let fields = call.split(separator: "\t")
    guard let word = fields.first, let kinds = Self.kinds[String(word)] else { return }
    if fields.count > 1, fields[1] == "--pending" || fields[1] == "-a" {
      // A call for all pending packages: apt starts and ends its runs with such calls.
      if kinds.contains(.configure) {
        if position > lastChange { position = operations.count }
      } else if operations[position...].allSatisfy({ kinds.contains($0.kind) }) {
        position = operations.count
      }
      return
    }
    // A package is unpacked before it is configured, and apt's order has all configuration after
    // it.
    for kind in kinds where kind != .configure {
      for field in fields.dropFirst() {
        guard let step = names.step(named: field),
          let reached = indices[.init(kind: kind, step: step)]
        else { continue }
        position = max(position, reached + 1)
      }
    }
  }

  /// The answer to a request to stop at this moment.
  var answer: StopAnswer {
    guard hasCalls else { return .atOnce }
    let boundary = next[position]
    guard boundary < operations.count, let step = changedBefore[boundary] else {
      return .finalStep(operations.last?.step ?? max(0, steps - 1))
    }
    return .after(step: step)
  }

  /// The steps that are changed before the work stops.
  var stepsBeforeStop: [Int] {
    guard hasCalls, next[position] < operations.count else { return [] }
    return operations[position..<next[position]].filter { $0.kind != .configure }.map(\.step)
  }

  private static let kinds: [String: Set<WorkSequence.Kind>] = [
    "unpack": [.unpack], "configure": [.configure], "remove": [.remove, .purge],
    "purge": [.remove, .purge], "triggers-only": [.configure],
  ]
}
