import Glibc
import InstallJobs
import JobServer
import Support
import Testing

/// A client in another language, run by another user; needs root to become one.
@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts, .enabled(if: geteuid() == 0))
struct `Another user at the socket` {
  private static let uid: UInt32 = 61_234

  /// What the engine answers to the lines when a process of the other user sends them.
  private func answers(to lines: [String], at path: String) async -> [String] {
    let script =
      "$s = IO::Socket::UNIX->new(Peer => shift) or die; $s->autoflush(1); "
      + "for (@ARGV) { print $s \"$_\\n\"; $l = <$s>; print $l }"
    let words =
      ["setpriv", "--reuid", "\(Self.uid)", "--regid", "\(Self.uid)", "--clear-groups"]
      + ["perl", "-MIO::Socket::UNIX", "-e", script, path] + lines
    let command = words.map { "'\($0)'" }.joined(separator: " ")
    return await onOwnThread {
      guard let pipe = unsafe popen(command, "r") else { return [] }
      defer { unsafe pclose(pipe) }
      var bytes: [UInt8] = []
      while case let byte = unsafe fgetc(pipe), byte >= 0 { bytes.append(UInt8(byte)) }
      return bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private let act = RawLines.request(
    1, "submit", #"{"operation":"install","updates":[{"name":"hello"}]}"#)

  private func openFolder() throws {
    let folder = try #require(ScratchFolder.current).path
    #expect(unsafe chmod(folder, 0o755) == 0)
  }

  @Test func `A40: a user who is no member lists, and is refused by name when acting`()
    async throws
  {
    try openFolder()
    let policy = AccessPolicy(
      engineUID: 0, group: "fettle", everybodyMayLook: true, isMember: { _, _ in false })
    try await ServedEngine.run(policy: policy) { served in
      let answers = await answers(
        to: [RawLines.hello, RawLines.request(1, "jobs"), act], at: served.path)
      try #require(answers.count == 3)
      #expect(answers[0].contains(#""rights":"look""#))
      #expect(answers[1].contains(#""result":[]"#))
      #expect(answers[2].contains(#""code":"notPermitted""#))
      #expect(answers[2].contains("\(Self.uid)"))
      let entry = try #require(await served.engine.record.first)
      #expect(entry.uid == Self.uid)
      #expect(entry.outcome == "notPermitted")
      #expect(entry.command == "perl")
      #expect(await served.engine.requests.isEmpty)
    }
  }

  @Test func `A40: a member of the group acts, and the job is in its name`() async throws {
    try openFolder()
    let policy = AccessPolicy(
      engineUID: 0, group: "fettle", everybodyMayLook: false,
      isMember: { uid, group in uid == Self.uid && group == "fettle" })
    try await ServedEngine.run(policy: policy) { served in
      let answers = await answers(to: [RawLines.hello, act], at: served.path)
      #expect(answers.last?.contains(#""state":"queued""#) == true)
      #expect(await served.engine.requesters.map(\.uid) == [Self.uid])
    }
  }

  @Test func `A40: a user without any right cannot even connect to a private engine`()
    async throws
  {
    try openFolder()
    let policy = AccessPolicy(engineUID: 0, group: nil, everybodyMayLook: false)
    try await ServedEngine.run(policy: policy) { served in
      #expect(await answers(to: [RawLines.hello], at: served.path).isEmpty)
      #expect(served.server.connectionCount == 0)
    }
  }
}
