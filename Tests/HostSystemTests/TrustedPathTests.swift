import Glibc
import HostSystem
import Support
import Testing

/// Which files a process may rely on.
@Suite(.scratchFolder) struct `A trusted path` {
  private var folder: ScratchFolder {
    get throws { try #require(ScratchFolder.current) }
  }

  private func problem(
    _ path: String, owners: Set<UInt32> = [geteuid()]
  ) throws -> UntrustedPath.Problem {
    try #require(throws: UntrustedPath.self) { try TrustedPath(path, owners: owners) }.problem
  }

  @Test func `is one that its user owns below folders that only root and the user can write`()
    throws
  {
    let file = try folder.write("x", to: "one/two/file")
    #expect(try TrustedPath(file).path == file)
  }

  @Test func `is none where a folder above it can be written by others`() throws {
    let file = try folder.write("x", to: "one/two/file")
    unsafe #expect(chmod(try folder.path("one"), 0o777) == 0)
    #expect(try problem(file) == .writable(S_IFDIR | 0o777))
    // Sticky: what is the user's own in it stays what it is.
    unsafe #expect(chmod(try folder.path("one"), 0o1777) == 0)
    #expect(try TrustedPath(file).path == file)
    #expect(try problem(try folder.path("one")) == .writable(S_IFDIR | 0o1777))
  }

  @Test func `is none where the group or others can write the file`() throws {
    let file = try folder.write("x", to: "file")
    for mode: mode_t in [0o664, 0o646] {
      unsafe #expect(chmod(file, mode) == 0)
      #expect(try problem(file) == .writable(S_IFREG | mode))
    }
  }

  @Test func `is followed link by link, each of which must be trusted`() throws {
    let file = try folder.write("x", to: "open/file")
    #expect(unsafe symlink("open/../open/file", try folder.path("link")) == 0)
    #expect(try TrustedPath(try folder.path("link")).path == file)
    unsafe #expect(chmod(try folder.path("open"), 0o777) == 0)
    #expect(try problem(try folder.path("link")) == .writable(S_IFDIR | 0o777))
    #expect(unsafe symlink(try folder.path("loop"), try folder.path("loop")) == 0)
    #expect(try problem(try folder.path("loop")) == .tooManyLinks)
  }

  @Test func `in a tree is what the tree's own processes would find`() throws {
    let file = try folder.write("x", to: "tree/usr/sh")
    #expect(unsafe symlink("/usr/sh", try folder.path("tree/sh")) == 0)
    #expect(unsafe symlink("../../../usr/sh", try folder.path("tree/up")) == 0)
    let base = try folder.path("tree")
    #expect(try TrustedPath(base + "/sh", base: base).path == file)
    #expect(try TrustedPath(base + "/up", base: base).path == file)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `of another user is none, and the refusal names path and owner`() throws {
    let file = try folder.write("x", to: "theirs/file")
    #expect(unsafe chown(try folder.path("theirs"), TestUser.id, TestUser.id) == 0)
    let error = try #require(throws: UntrustedPath.self) { try TrustedPath(file) }
    #expect(error == UntrustedPath(try folder.path("theirs"), .owner(TestUser.id)))
    #expect("\(error)".contains("\(try folder.path("theirs"))' belongs to user \(TestUser.id)"))
    // A link of that user's is one of theirs too, wherever it leads.
    #expect(unsafe symlink("/etc/passwd", try folder.path("link")) == 0)
    #expect(unsafe lchown(try folder.path("link"), TestUser.id, TestUser.id) == 0)
    #expect(try problem(try folder.path("link")) == .owner(TestUser.id))
    #expect(throws: UntrustedPath.self) { try TrustedPath.requireForRoot(file) }
  }

  @Test func `may be missing from some folder on, and what exists counts`() throws {
    let path = try folder.path("not/there")
    let found = try TrustedPath.existing(path)
    #expect(found.existing == (try folder.path) && found.missing == ["not", "there"])
    unsafe #expect(chmod(try folder.path, 0o777) == 0)
    #expect(throws: UntrustedPath.self) { try TrustedPath.existing(path) }
  }

  @Test(.enabled(if: geteuid() == 0))
  func `that is missing where others can make it is none for root`() throws {
    let later = try folder.path("shared/later/file")
    #expect(unsafe mkdir(try folder.path("shared"), 0o755) == 0)
    try TrustedPath.requireForRoot(later)
    unsafe #expect(chmod(try folder.path("shared"), 0o1777) == 0)
    let error = try #require(throws: UntrustedPath.self) { try TrustedPath.requireForRoot(later) }
    #expect(error == UntrustedPath(try folder.path("shared"), .writable(S_IFDIR | 0o1777)))
    #expect(!error.hint.contains("chmod"))
  }
}
