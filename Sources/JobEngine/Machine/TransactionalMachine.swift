package import InstallJobs

/// A job's machine that takes each input on trial first, and for good once what comes of it is stored.
///
/// What the journal does not take has not happened, so an input must leave no trace then. A copy to
/// go back to would be one of every package of the plan at every input. Instead there are two
/// machines, and a pure machine does the same twice: one is ahead by the input that is on trial, the
/// other takes it afterwards.
package struct TransactionalMachine: Sendable {
  /// The machine as everybody knows it, without an input that is on trial.
  package private(set) var machine: JobMachine
  /// The machine with the input on trial; else in the same state as the other, or nil.
  private var ahead: JobMachine?
  private var trial: (input: JobMachine.Input, time: Timestamp)?

  /// Nothing is on trial.
  package init(_ machine: JobMachine) { self.machine = machine }

  /// Takes an input on trial, to be settled by ``confirm()`` or ``retract()``.
  ///
  /// - Parameters:
  ///   - input: What happened.
  ///   - time: When it happened.
  /// - Returns: What the owner has to do, and the job as it is then.
  /// - Throws: ``JobMachine/InvalidTransition``, with nothing on trial.
  package mutating func rehearse(
    _ input: JobMachine.Input, at time: Timestamp
  ) throws(JobMachine.InvalidTransition) -> [JobMachine.Action] {
    if trial != nil { retract() }
    // Taken out, so that what is changed has one owner.
    var next = ahead ?? machine
    ahead = nil
    let actions = try next.handle(input, at: time)
    ahead = next
    trial = (input, time)
    return actions
  }

  /// Looks at the job as it is with the input on trial.
  package func withSnapshot<Value>(_ body: (JobSnapshot) -> Value) -> Value {
    body((ahead ?? machine).snapshot)
  }

  /// Takes the input on trial for good.
  package mutating func confirm() {
    guard let (input, time) = trial, let next = ahead else { return }
    trial = nil
    // Where much is told of few packages, the copy at the next input costs less than all of it again.
    guard input.reportCount * Self.packagesOfReport < machine.plan.steps.count else {
      machine = next
      return
    }
    _ = try? machine.handle(input, at: time)
  }

  /// Forgets the input on trial.
  package mutating func retract() {
    trial = nil
    ahead = nil
  }

  /// Changes the machine by something that needs no place in the journal.
  mutating func change(_ body: (inout JobMachine) -> Void) {
    retract()
    body(&machine)
  }

  /// How many packages are copied in the time in which a report is taken.
  private static let packagesOfReport = 10
}

extension JobMachine.Input {
  /// How many reports it brings; 1 for any other input.
  fileprivate var reportCount: Int {
    if case .reports(let reports, _) = self { max(1, reports.count) } else { 1 }
  }
}
