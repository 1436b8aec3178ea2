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
  private var ahead: JobMachine?
  private var trial: (input: JobMachine.Input, time: Timestamp)?

  /// Creates a machine without a tentative input.
  package init(_ machine: JobMachine) { self.machine = machine }

  /// Applies an input tentatively, until ``confirm()`` or ``retract()``.
  ///
  /// - Parameters:
  ///   - input: What happened.
  ///   - time: When it happened.
  /// - Returns: The actions for the owner.
  /// - Throws: ``JobMachine/InvalidTransition``; there is no tentative input then.
  package mutating func rehearse(
    _ input: JobMachine.Input, at time: Timestamp
  ) throws(JobMachine.InvalidTransition) -> [JobMachine.Action] {
    if trial != nil { retract() }
    // Moved out of `ahead`, so that the changed storage has one owner.
    var next = ahead ?? machine
    ahead = nil
    let actions = try next.handle(input, at: time)
    ahead = next
    trial = (input, time)
    return actions
  }

  /// Passes the snapshot, including the tentative input, to `body`.
  package func withSnapshot<Value>(_ body: (JobSnapshot) -> Value) -> Value {
    body((ahead ?? machine).snapshot)
  }

  /// Commits the tentative input.
  package mutating func confirm() {
    guard let (input, time) = trial, let next = ahead else { return }
    trial = nil
    // For many reports on few packages, a copy at the next input costs less than applying all
    // reports again.
    guard input.reportCount * Self.packagesOfReport < machine.plan.steps.count else {
      machine = next
      return
    }
    _ = try? machine.handle(input, at: time)
  }

  /// Discards the tentative input.
  package mutating func retract() {
    trial = nil
    ahead = nil
  }

  /// Changes the machine in a way that the journal does not record; discards the tentative input.
  mutating func change(_ body: (inout JobMachine) -> Void) {
    retract()
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
