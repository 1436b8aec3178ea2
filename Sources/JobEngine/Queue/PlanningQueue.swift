internal import Foundation
internal import HostSystem
package import InstallJobs
internal import Synchronization

/// A user on whose behalf something is planned.
package struct PlanningUser: Sendable, Hashable {
  package var requester: Requester
  /// Whether the user may act on this engine.
  package var mayAct: Bool

  /// Creates a user whose rights the caller has checked.
  package init(_ requester: Requester, mayAct: Bool) {
    self.requester = requester
    self.mayAct = mayAct
  }
}

/// Runs planning work in the order of a ``PlanningOrder``, on separate threads.
///
/// At most one request per processor is planned at a time, but at least two. If all requests of a
/// batch were planned at once, all plans would be ready only at the end, and the first job would
/// start as late as the last (measured: 0.3 s later with eight jobs on two cores).
final class PlanningQueue: Sendable {
  struct State {
    var order: PlanningOrder
    var lastNumber = 0
    /// Requests that wait for a turn.
    ///
    /// They are resumed with true for a turn and with false for a cancellation.
    var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    /// Requests that were cancelled before they began to wait.
    var cancelled: Set<Int> = []
  }

  /// Maximum duration of a turn.
  static let turnLimit = Duration.seconds(3600)

  let state: Mutex<State>
  private let threads: WaitingThreads
  private let limit: Duration
  private let grace: Duration

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - limits: Limits on the number of requests; nil for the defaults with one request per
  ///     processor.
  ///   - threads: The threads on which plans are made.
  ///   - limit: Maximum duration of a turn. After it the thread is abandoned, because it may wait
  ///     for a disk that does not answer. The limit is long because archives of gigabytes may be
  ///     read in a turn.
  ///   - grace: How much longer a cancelled request may keep its turn.
  init(
    limits: PlanningOrder.Limits? = nil, threads: WaitingThreads,
    limit: Duration = turnLimit, grace: Duration = .seconds(10)
  ) {
    var usual = PlanningOrder.Limits()
    usual.concurrent = ProcessInfo.processInfo.activeProcessorCount
    state = Mutex(State(order: PlanningOrder(limits: limits ?? usual)))
    self.threads = threads
    self.limit = limit
    self.grace = grace
  }

  /// Runs `body` when the request's turn has come.
  ///
  /// A cancelled request leaves the queue at once.
  ///
  /// - Throws: `busy` when too many requests wait already; `cancelled` when the task was cancelled;
  ///   `timedOut`; the errors of `body`.
  func plan<Value: Sendable>(
    for user: PlanningUser,
    _ body: @escaping @Sendable () async throws(InstallationError) -> Value
  ) async throws(InstallationError) -> Value {
    let party = PlanningOrder.Party(uid: user.requester.uid, mayAct: user.mayAct)
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    guard try await waitForTurn(number, party, user.requester) else {
      throw Self.unwanted
    }
    defer { end(number) }
    let threads = threads
    let work = Task {
      await threads.run { () async -> Result<Value, InstallationError> in
        do throws(InstallationError) { return .success(try await body()) } catch {
          return .failure(error)
        }
      }
    }
    if let result = await work.value(within: limit, onceCancelled: grace) {
      return try result.get()
    }
    work.cancel()
    guard !Task.isCancelled else { throw Self.unwanted }
    throw InstallationError(
      .timedOut, "not planned within \(limit.components.seconds) seconds", class: .transient,
      hint: "check that the disks of the package root answer; then try again")
  }

  private static var unwanted: InstallationError {
    InstallationError(
      .cancelled, "not planned: nobody waits for the answer", class: .transient)
  }

  /// Waits for a turn.
  ///
  /// - Returns: True for a turn; false for a cancelled request.
  private func waitForTurn(
    _ number: Int, _ party: PlanningOrder.Party, _ requester: Requester
  ) async throws(InstallationError) -> Bool {
    var refusal: Int?
    let hasTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          guard state.cancelled.remove(number) == nil else { return false }
          switch state.order.add(number, of: party) {
          case .begins: return true
          case .waits:
            state.waiters[number] = continuation
            return nil
          case .refused(let waiting):
            refusal = waiting
            return false
          }
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      cancel(number)
    }
    _ = state.withLock { $0.cancelled.remove(number) }
    guard let refusal else { return hasTurn }
    throw InstallationError(
      .busy,
      "not planned: \(refusal) requests of \(party.mayAct ? requester.user : "those who may only look")"
        + " wait to be planned already", class: .transient,
      hint: "wait for their answers, then ask again")
  }

  private func cancel(_ number: Int) {
    let (waiter, begun) = state.withLock { state in
      guard let waiter = state.waiters.removeValue(forKey: number) else {
        state.cancelled.insert(number)
        return (CheckedContinuation<Bool, Never>?.none, [CheckedContinuation<Bool, Never>]())
      }
      return (waiter, Self.remove(number, from: &state))
    }
    waiter?.resume(returning: false)
    for continuation in begun { continuation.resume(returning: true) }
  }

  private func end(_ number: Int) {
    let begun = state.withLock { Self.remove(number, from: &$0) }
    for continuation in begun { continuation.resume(returning: true) }
  }

  private static func remove(
    _ number: Int, from state: inout State
  ) -> [CheckedContinuation<Bool, Never>] {
    state.order.remove(number).compactMap { state.waiters.removeValue(forKey: $0) }
  }
}
