package import InstallJobs

/// A job's machine that applies each input tentatively, until the resulting events are stored.
///
/// An input that the journal does not store must leave no trace. A copy for the roll-back would
/// copy every package of the plan at every input. Instead there are two machines with the same pure
/// behaviour: one has already applied the tentative input, the other applies it after the commit.
package struct TransactionalMachine: Sendable {
  /// The committed machine, without the tentative input.
  package private(set) var machine: JobMachine
  /// The machine with the tentative input; without one, nil or equal to ``machine``.
  private var prepared: JobMachine?
  private var pendingInput: (input: JobMachine.Input, time: Timestamp)?

  /// Creates a machine without a tentative input.
  package init(_ machine: JobMachine) { self.machine = machine }

  /// Applies an input tentatively, until ``commit()`` or ``rollBack()``.
  ///
  /// - Parameters:
  ///   - input: What happened.
  ///   - time: When it happened.
  /// - Returns: The actions for the owner.
  /// - Throws: ``JobMachine/InvalidTransition``; there is no tentative input then.
  package mutating func prepare(
    _ input: JobMachine.Input, at time: Timestamp
  ) throws(JobMachine.InvalidTransition) -> [JobMachine.Action] {
    if pendingInput != nil { rollBack() }
    // Moved out of `prepared`, so that the changed storage has one owner.
    var next = prepared ?? machine
    prepared = nil
    let actions = try next.handle(input, at: time)
    prepared = next
    pendingInput = (input, time)
    return actions
  }

  /// Passes the snapshot, including the tentative input, to `body`.
  package func withSnapshot<Value>(_ body: (JobSnapshot) -> Value) -> Value {
    body((prepared ?? machine).snapshot)
  }

  /// Commits the tentative input.
  package mutating func commit() {
    guard let (input, time) = pendingInput, let next = prepared else { return }
    pendingInput = nil
    // For many reports on few packages, a copy at the next input costs less than applying all
    // reports again.
    guard input.reportCount * Self.packagesOfReport < machine.plan.steps.count else {
      machine = next
      return
    }
    _ = try? machine.handle(input, at: time)
  }

  /// Discards the tentative input.
  package mutating func rollBack() {
    pendingInput = nil
    prepared = nil
  }

  /// Changes the machine in a way that the journal does not record; discards the tentative input.
  mutating func change(_ body: (inout JobMachine) -> Void) {
    rollBack()
    body(&machine)
  }

  /// Number of packages whose copy takes as long as applying one report.
  private static let packagesOfReport = 10
}

extension JobMachine.Input {
  /// Number of reports in the input; 1 for any other input.
  fileprivate var reportCount: Int {
    if case .reports(let reports, _) = self { max(1, reports.count) } else { 1 }
  }
}
