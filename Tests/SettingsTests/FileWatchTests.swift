import FoundationEssentials
import Glibc
import Settings
import Support
import Testing

@Suite(.scratchFolder, .timeLimit(.minutes(2)), .endsOrAborts) struct `Watching a file` {
  private let folder: ScratchFolder

  init() throws { folder = try #require(ScratchFolder.current) }

  private func link(_ name: String, to target: String) throws {
    let draft = folder.path("draft-link")
    try FileManager.default.createSymbolicLink(atPath: draft, withDestinationPath: target)
    #expect(unsafe rename(draft, folder.path(name)) == 0)
  }

  /// Waits for the news of what `change` does.
  private func expectNews(
    _ watch: FileWatch, _ change: () throws -> Void
  ) async throws {
    try change()
    var news = watch.changes.makeAsyncIterator()
    #expect(await news.next() != nil)
  }

  @Test func `tells when it is written in place`() async throws {
    let file = try folder.write("a", to: "theme.toml")
    let watch = try #require(FileWatch([file]))
    try await expectNews(watch) { try folder.write("b", to: "theme.toml") }
    try await expectNews(watch) { try folder.write("c", to: "theme.toml") }
  }

  @Test func `tells when another file is renamed over it, again and again`() async throws {
    let file = try folder.write("a", to: "theme.toml")
    let watch = try #require(FileWatch([file]))
    for text in ["b", "c", "d"] {
      try await expectNews(watch) {
        let draft = try folder.write(text, to: ".theme.swp")
        #expect(unsafe rename(draft, file) == 0)
      }
    }
  }

  @Test func `tells when it is put aside and written anew`() async throws {
    let file = try folder.write("a", to: "theme.toml")
    let watch = try #require(FileWatch([file]))
    try await expectNews(watch) {
      #expect(unsafe rename(file, file + "~") == 0)
      try folder.write("b", to: "theme.toml")
    }
  }

  @Test func `tells of what a link points to, and when it points elsewhere`() async throws {
    try folder.write("a", to: "dots/one.toml")
    try folder.write("b", to: "dots/two.toml")
    try link("theme.toml", to: "dots/one.toml")
    let watch = try #require(FileWatch([folder.path("theme.toml")]))
    try await expectNews(watch) { try folder.write("c", to: "dots/one.toml") }
    try await expectNews(watch) { try link("theme.toml", to: "dots/two.toml") }
    try await expectNews(watch) { try folder.write("d", to: "dots/two.toml") }
  }

  @Test func `tells when a link to a folder on its way points elsewhere`() async throws {
    try folder.write("a", to: "version-1/theme.toml")
    try folder.write("b", to: "version-2/theme.toml")
    try link("current", to: "version-1")
    let watch = try #require(FileWatch([folder.path("current/theme.toml")]))
    try await expectNews(watch) { try link("current", to: "version-2") }
    try await expectNews(watch) { try folder.write("c", to: "version-2/theme.toml") }
  }

  @Test func `waits for a file and a folder that are not there yet`() async throws {
    let watch = try #require(FileWatch([folder.path("themes/deep/mine.toml")]))
    try await expectNews(watch) { try folder.write("a", to: "themes/deep/mine.toml") }
    try await expectNews(watch) { try folder.write("b", to: "themes/deep/mine.toml") }
  }

  @Test func `goes on after its folder was removed and came back`() async throws {
    let file = try folder.write("a", to: "themes/mine.toml")
    let watch = try #require(FileWatch([file]))
    try await expectNews(watch) {
      TestFolder.remove(folder.path("themes"))
      try folder.write("b", to: "themes/mine.toml")
    }
    try await expectNews(watch) { try folder.write("c", to: "themes/mine.toml") }
  }

  @Test func `watches other files from then on`() async throws {
    let one = try folder.write("a", to: "one.toml")
    let two = try folder.write("a", to: "two.toml")
    let watch = try #require(FileWatch([one]))
    watch.watch([two])
    try await expectNews(watch) { try folder.write("b", to: "two.toml") }
  }

  @Test func `ends when nobody holds it any more`() async throws {
    let file = try folder.write("a", to: "one.toml")
    var watch = FileWatch([file])
    let changes = try #require(watch?.changes)
    watch = nil
    for await _ in changes { Issue.record("nothing has changed") }
  }
}
