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
}
