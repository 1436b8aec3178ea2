import HostSystem
import InstallJobs
import JobJournal
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite struct `Archives that clients bring` {
  private static let hash = String(repeating: "a", count: 64)
  private static let pieces: [(Int64, Int64)] = [
    (.max, .max), (.max - 1, .max), (.max, 10), (11, 10), (-1, 10), (0, -1), (0, .min),
    (.min, .max),
  ]

  @Test(arguments: pieces)
  func `a piece outside its archive is refused, however large the numbers are`(
    offset: Int64, size: Int64
  ) async throws {
    let folder = try ScratchFolder()
    let store = ArchiveStore(folder: folder.path("archives"))
    let archive = LocalArchive(fileName: "p.deb", sha256: Self.hash, size: size)
    let error = await #expect(throws: InstallationError.self) {
      try await store.store([1, 2], at: offset, of: archive, from: Uploader())
    }
    #expect(error?.code == .invalidArgument)
  }

  // The hash of "abcd".
  private static let abcd = LocalArchive(
    fileName: "p.deb",
    sha256: "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589", size: 4)

  @Test func `two clients that bring the same archive do not disturb each other`() async throws {
    let folder = try ScratchFolder()
    let store = ArchiveStore(folder: folder.path("archives"))
    let (one, other) = (Uploader(), Uploader())
    let bytes = Array("abcd".utf8)
    #expect(try await store.store(Array(bytes[..<3]), at: 0, of: Self.abcd, from: one) == nil)
    #expect(try await store.store(Array(bytes[..<1]), at: 0, of: Self.abcd, from: other) == nil)
    let path = try await store.store(Array(bytes[3...]), at: 3, of: Self.abcd, from: one)
    #expect(path == folder.path("archives/\(Self.abcd.sha256).deb"))
    #expect(try await store.store(Array(bytes[1...]), at: 1, of: Self.abcd, from: other) == path)
  }

  @Test func `nobody can spoil another's upload by claiming its hash`() async throws {
    let folder = try ScratchFolder()
    let store = ArchiveStore(folder: folder.path("archives"))
    let (honest, hostile) = (Uploader(), Uploader())
    let bytes = Array("abcd".utf8)
    #expect(try await store.store(Array(bytes[..<2]), at: 0, of: Self.abcd, from: honest) == nil)
    // At the very place to which the honest one has come, and many from the beginning.
    let error = await #expect(throws: InstallationError.self) {
      try await store.store(Array("xx".utf8), at: 2, of: Self.abcd, from: hostile)
    }
    #expect(error?.code == .invalidArgument)
    for _ in 0..<9 {
      #expect(try await store.store(Array("x".utf8), at: 0, of: Self.abcd, from: hostile) == nil)
    }
    #expect(!Self.names(folder).contains { $0.hasSuffix(".deb") })
    #expect(try await store.store(Array(bytes[2...]), at: 2, of: Self.abcd, from: honest) != nil)
  }

  @Test func `an archive that is there already is no other one of its hash`() async throws {
    let folder = try ScratchFolder()
    let store = ArchiveStore(folder: folder.path("archives"))
    #expect(
      try await store.store(Array("abcd".utf8), at: 0, of: Self.abcd, from: Uploader()) != nil)
    for size: Int64 in [5, 1 << 62] {
      let other = LocalArchive(fileName: "p.deb", sha256: Self.abcd.sha256, size: size)
      let error = await #expect(throws: InstallationError.self) {
        try await store.store(Array("abcd".utf8), at: 0, of: other, from: Uploader())
      }
      #expect(error?.code == .hashMismatch)
    }
  }

  @Test func `nothing of an archive is stored that is larger than the disk has room`() async throws
  {
    let folder = try ScratchFolder()
    let store = ArchiveStore(folder: folder.path("archives"))
    let huge = LocalArchive(fileName: "p.deb", sha256: Self.hash, size: 1 << 62)
    let error = await #expect(throws: InstallationError.self) {
      try await store.store(Array("abcd".utf8), at: 0, of: huge, from: Uploader())
    }
    #expect(error?.code == .noSpace)
    #expect(Self.names(folder).isEmpty)
  }

  @Test func `what is unfinished goes with its uploader, and with its engine`() async throws {
    let folder = try ScratchFolder()
    let store = ArchiveStore(folder: folder.path("archives"))
    let (gone, present) = (Uploader(), Uploader())
    for uploader in [gone, present] {
      #expect(try await store.store(Array("ab".utf8), at: 0, of: Self.abcd, from: uploader) == nil)
    }
    #expect(Self.names(folder).count == 2)
    await store.drop(from: gone)
    #expect(Self.names(folder).count == 1)
    let next = ArchiveStore(folder: folder.path("archives"))
    #expect(try await store.store(Array("cd".utf8), at: 2, of: Self.abcd, from: present) != nil)
    #expect(try await store.store(Array("z".utf8), at: 0, of: Self.other, from: present) == nil)
    #expect(Self.names(folder).count == 2)
    try await next.sweep { [Self.abcd.sha256] }
    #expect(Self.names(folder) == [Self.abcd.sha256 + ".deb"])
    try await next.sweep { [Self.other.sha256] }
    #expect(Self.names(folder).isEmpty)
  }

  @Test func `an engine that starts keeps archives of jobs and drops what nobody submitted`()
    async throws
  {
    let folder = try ScratchFolder()
    let provider = SimulatedProvider(playing: .instant(1))
    var request = JobRequest(.install, [Update("p1")])
    request.updates[0].archive = Self.abcd
    let journal = try Journal.open(at: folder.path("journal.sqlite"))
    _ = try journal.submit(
      request, plan: JobPlan(requests: [], steps: [], archives: [:]),
      requestedBy: EngineFixture.ops, provider: "test", at: Timestamp(milliseconds: 0))
    try journal.close()
    try TestFolder.makeFolder(folder.path("archives"))
    for archive in [Self.abcd, Self.other] {
      try TestFolder.write("", to: folder.path("archives/\(archive.sha256).deb"))
    }
    let next = try await EngineFixture(provider, in: folder)
    #expect(Self.names(folder) == [Self.abcd.sha256 + ".deb"])
    withExtendedLifetime(next) {}
  }

  // Claims to be something that nobody has.
  private static let other = LocalArchive(
    fileName: "o.deb", sha256: String(repeating: "b", count: 64), size: 4)

  private static func names(_ folder: ScratchFolder) -> [String] {
    TestFolder.names(in: folder.path("archives"))
  }

  @Test func `a damaged archive is refused, and the next upload begins afresh`() async throws {
    let folder = try ScratchFolder()
    let uploader = Uploader()
    let store = ArchiveStore(folder: folder.path("archives"))
    let error = await #expect(throws: InstallationError.self) {
      try await store.store(Array("abcx".utf8), at: 0, of: Self.abcd, from: uploader)
    }
    #expect(error?.code == .hashMismatch)
    #expect(try await store.store(Array("abcd".utf8), at: 0, of: Self.abcd, from: uploader) != nil)
    store.remove(Self.abcd)
    #expect(try await store.store(Array("ab".utf8), at: 0, of: Self.abcd, from: uploader) == nil)
  }

  @Test func `an archive that could not be checked is not called damaged`() async throws {
    let folder = try ScratchFolder()
    let uploader = Uploader()
    let store = ArchiveStore(folder: folder.path("archives"))
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await store.store(Array("abcd".utf8), at: 0, of: Self.abcd, from: uploader)
    }
    let error = await #expect(throws: InstallationError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(error?.message.hasPrefix("p.deb could not be checked: ") == true)
    #expect(Self.names(folder).isEmpty)
    #expect(try await store.store(Array("abcd".utf8), at: 0, of: Self.abcd, from: uploader) != nil)
    let missing = await #expect(throws: InstallationError.self) {
      try await FileDigest.sha256(of: folder.path("nothing"))
    }
    #expect(missing?.message.hasSuffix("No such file or directory") == true)
  }

  @Test func `a user database that does not answer keeps no archive and no thread of others`()
    async throws
  {
    let folder = try ScratchFolder()
    let answer = Gate()
    let store = ArchiveStore(folder: folder.path("archives")) { _, _ in answer.wait() }
    #expect(
      try await store.store(Array("abcd".utf8), at: 0, of: Self.abcd, from: Uploader())
        == folder.path("archives/\(Self.abcd.sha256).deb"))
    answer.open()
  }
}
