import InstallJobs
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
      try await store.store([1, 2], at: offset, of: archive)
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
    let bytes = Array("abcd".utf8)
    #expect(try await store.store(Array(bytes[..<3]), at: 0, of: Self.abcd) == nil)
    #expect(try await store.store(Array(bytes[..<1]), at: 0, of: Self.abcd) == nil)
    let path = try await store.store(Array(bytes[3...]), at: 3, of: Self.abcd)
    #expect(path == folder.path("archives/\(Self.abcd.sha256).deb"))
    #expect(try await store.store(Array(bytes[1...]), at: 1, of: Self.abcd) == path)
  }

  @Test func `a damaged archive is refused, and the next upload begins afresh`() async throws {
    let folder = try ScratchFolder()
    let store = ArchiveStore(folder: folder.path("archives"))
    let error = await #expect(throws: InstallationError.self) {
      try await store.store(Array("abcx".utf8), at: 0, of: Self.abcd)
    }
    #expect(error?.code == .hashMismatch)
    #expect(try await store.store(Array("abcd".utf8), at: 0, of: Self.abcd) != nil)
    store.remove(Self.abcd)
    #expect(try await store.store(Array("ab".utf8), at: 0, of: Self.abcd) == nil)
  }
}
