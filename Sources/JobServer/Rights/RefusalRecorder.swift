internal import InstallJobs
internal import JobEngine
internal import JobTransport
internal import Synchronization

/// Writes audit entries for refused connections.
///
/// Refusals are counted by user, and one task at a time writes the counts, so memory does not grow
/// with the number of refusals.
final class RefusalRecorder: Sendable {
  private struct Refusals {
    var peer: PeerCredentials
    var user: String
    var count: Int
  }

  private struct State {
    var users: [UInt32: Refusals] = [:]
    var isRecording = false
  }

  /// Largest number of users counted separately between two writes.
  ///
  /// Refusals of further users are added to the count of a user in the table.
  private static let mostUsers = 32

  private let engine: any EngineService
  private let state = Mutex(State())

  init(engine: any EngineService) { self.engine = engine }

  /// Counts one refusal.
  func add(_ peer: PeerCredentials, user: String) {
    let begins = state.withLock { state in
      if state.users[peer.uid] != nil || state.users.count < Self.mostUsers {
        state.users[peer.uid, default: Refusals(peer: peer, user: user, count: 0)].count += 1
      } else if let other = state.users.keys.first {
        state.users[other]?.count += 1
      }
      defer { state.isRecording = true }
      return !state.isRecording
    }
    if begins { Task { await self.record() } }
  }

  private func record() async {
    while let refusals = next() {
      for one in refusals {
        let act = AuditedAct(
          "hello", by: Requester(uid: one.peer.uid, user: one.user), pid: one.peer.pid,
          command: Accounts.command(of: one.peer.pid),
          outcome: InstallationError.Code.notPermitted.rawValue, isUnprivileged: true,
          count: one.count)
        _ = try? await engine.audit(act)
      }
    }
  }

  private func next() -> [Refusals]? {
    state.withLock { state in
      guard !state.users.isEmpty else {
        state.isRecording = false
        return nil
      }
      defer { state.users = [:] }
      return state.users.values.sorted { $0.peer.uid < $1.peer.uid }
    }
  }
}
