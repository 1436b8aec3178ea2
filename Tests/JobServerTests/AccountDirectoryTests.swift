import JobServer
import JobTransport
import JobWire
import Support
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts) struct `Users of the system` {
  /// A user database that answers when it is opened.
  private final class HungDatabase: Sendable {
    private let gate = Gate()
    private let asked = Mutex(0)

    var askedCount: Int { asked.withLock { $0 } }

    func find(_ uid: UInt32) -> AccountDirectory.Account {
      asked.withLock { $0 += 1 }
      gate.wait()
      return AccountDirectory.Account(name: "u\(uid)", isMember: true)
    }

    func open() { gate.open() }
  }

  @Test func `who is not found in time is unknown, and few threads hang`() async throws {
    let database = HungDatabase()
    let directory = AccountDirectory(timeout: .milliseconds(50), find: database.find)
    await withTaskGroup(of: AccountDirectory.Account.self) { group in
      for uid in 1...200 as ClosedRange<UInt32> {
        group.addTask { await directory.account(of: uid) }
      }
      for await account in group {
        #expect(!account.isKnown && !account.isMember)
      }
    }
    #expect(database.askedCount <= 4)
    database.open()
    try await eventually("an answer that came late is kept") {
      await directory.account(of: 1).isKnown
    }
    try await eventually("others are found again") {
      await directory.account(of: 300).name == "u300"
    }
  }

  @Test func `an answer is kept for a moment and asked for once`() async {
    let asked = Mutex(0)
    let directory = AccountDirectory(lifetime: .seconds(3600)) { uid in
      asked.withLock { $0 += 1 }
      return AccountDirectory.Account(name: "u\(uid)", isMember: false)
    }
    #expect(directory.cached(7) == nil)
    for _ in 0..<5 { #expect(await directory.account(of: 7).name == "u7") }
    #expect(directory.cached(7)?.name == "u7")
    #expect(asked.withLock { $0 } == 1)
  }

  @Test func `root and the engine's user need no answer, and who has none may nothing`() async {
    let database = HungDatabase()
    let policy = AccessPolicy(
      engineUID: 500, engineUser: "me", group: "fettle", everybodyMayLook: false,
      timeout: .milliseconds(50), isMember: { uid, _ in database.find(uid).isMember })
    #expect(policy.knownAdmission(of: 0) == .seat(.owner, user: "root"))
    #expect(policy.knownAdmission(of: 500) == .seat(.owner, user: "me"))
    #expect(policy.knownAdmission(of: 7) == nil)
    #expect(await policy.rights(of: PeerCredentials(pid: 1, uid: 7, gid: 7)) == nil)
    #expect(await policy.rights(of: PeerCredentials(pid: 1, uid: 0, gid: 0)) == .act)
    database.open()
  }
}
