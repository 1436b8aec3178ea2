import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite struct `A checkup of a package root` {
  /// Room, how many files can be made, and what that comes to.
  struct Room: Sendable {
    var bytes: Int64
    var files: UInt64?
    var verdict: Checkup.Verdict
  }

  private static let much: Int64 = 1 << 40
  private static let some: Int64 = 256 << 20
  private static let little: Int64 = 16 << 20

  @Test(arguments: [
    Room(bytes: much, verdict: .sound), Room(bytes: some, files: 1000, verdict: .sound),
    Room(bytes: some - 1, files: 1000, verdict: .attention),
    Room(bytes: little, verdict: .attention), Room(bytes: little - 1, verdict: .fault),
    Room(bytes: 0, verdict: .fault), Room(bytes: much, files: 999, verdict: .attention),
    Room(bytes: much, files: 99, verdict: .fault), Room(bytes: much, files: 0, verdict: .fault),
  ])
  func `little room is known early, and none is a fault`(room: Room) {
    let finding = Checkup.Finding.space(
      bytes: room.bytes, files: room.files, at: "/x", for: "archives")
    #expect(finding.verdict == room.verdict)
    #expect(finding.message.contains("for archives in /x"))
    #expect((finding.hint == nil) == (room.verdict == .sound))
  }

  @Test func `the room of a folder that is not there yet is that of the one above it`() {
    let finding = Checkup.Finding.space(at: "/nonexistent/a/b", for: "archives")
    #expect(finding.verdict != .unknown)
    #expect(finding.message.hasSuffix("in /nonexistent/a/b"))
  }

  @Test func `findings stand in one order, the gravest is the verdict`() {
    let checkup = Checkup(
      root: "/",
      findings: [
        Checkup.Finding(.restart, .attention, "c"), Checkup.Finding(.packages, .fault, "a"),
        Checkup.Finding(.packages, .fault, "b"),
      ]
    ).adding(Checkup.Finding(.engine, .unknown, "0"))
    #expect(checkup.findings.map(\.message) == ["0", "a", "b", "c"])
    #expect(checkup.verdict == .fault)
    #expect(Checkup(root: "/", findings: []).verdict == .sound)
  }

  @Test func `whoever may not act is told so, and why`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    let root = try PackageRoot(at: repository.root, for: TestUser.id)
    let finding = root.rightsFinding(euid: 0)
    #expect(finding.verdict == .attention && finding.hint?.isEmpty == false)
    #expect(finding.message.contains("package scripts would act on the host"))
    #expect(try PackageRoot(at: "/").rightsFinding(euid: 1000).verdict == .attention)
  }

  @Test func `dependencies that are not met are named`() async throws {
    let repository = try await PackageRepository()
    try await repository.dpkg("--unpack", repository.archive("app")).expectSuccess("dpkg")
    let findings = try await repository.provider().checkup { nil }
    let faults = findings.filter { $0.verdict == .fault }
    #expect(faults.map(\.subject) == [.packages, .packages], "\(faults)")
    #expect(faults.first?.message == "app 1.0 is unpacked and was never configured")
    #expect(faults.last?.message.contains("lib") == true && faults.last?.package == "app")
  }
}
