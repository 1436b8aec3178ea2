import AptProvider
import Glibc
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite struct `The claim on a package root` {
  private func root() async throws -> (TestFolder, PackageRoot) {
    let folder = try TestFolder(isHandedOver: false)
    let root = try await PackageRoot.create(at: folder.path("root"), likeHost: false)
    try TestFolder.handAll(folder.path, to: TestUser.id)
    return (folder, root)
  }

  @Test func `the second is refused and told of the first, until that is gone`() async throws {
    let (folder, root) = try await root()
    let first = try root.claim(stateFolder: "/states/first")
    let other = folder.path("other")
    unsafe symlink(root.path, other)
    let error = try withExtendedLifetime(first) {
      try #require(throws: InstallationError.self) {
        try PackageRoot(at: other, for: TestUser.id).claim(stateFolder: "/states/second")
      }
    }
    #expect(error.code == .busy)
    #expect(error.message.contains("pid \(getpid()), state folder /states/first"))
    #expect(error.message.contains(root.path))
  }

  @Test func `a dropped claim leaves nothing in the way`() async throws {
    let (folder, root) = try await root()
    for name in ["a", "b"] { _ = try root.claim(stateFolder: folder.path(name)) }
  }

  @Test func `what a killed engine had begun is waited for`() async throws {
    let (folder, root) = try await root()
    // Has inherited the lock of a process that is gone, which nobody can name.
    let path = root.adminDirectory + "/lock-fettle"
    let script = "umask 077; exec 9>>\"$1\"; flock 9; sleep 1000 >/dev/null 2>&1 & echo $!"
    let output = try await ToolOutput.of(["/bin/sh", "-c", script, "sh", path])
    let heir = try #require(Int32(output.output.split(separator: "\n").first ?? ""))
    let claim = Task.detached { _ = try root.claim(stateFolder: folder.path("next")) }
    await Task.yield()
    kill(heir, SIGKILL)
    try await claim.value
  }

  @Test func `a file that is not the engine's own is neither used nor written to`() async throws {
    let (folder, root) = try await root()
    let path = root.adminDirectory + "/lock-fettle"
    try TestFolder.write("precious\n", to: folder.path("file"))
    unsafe link(folder.path("file"), path)
    let linked = try #require(throws: InstallationError.self) {
      try root.claim(stateFolder: "/s")
    }
    #expect(linked.code == .badRoot)
    unsafe unlink(path)
    unsafe symlink(folder.path("file"), path)
    #expect(throws: InstallationError.self) { try root.claim(stateFolder: "/s") }
    #expect(TestFolder.text(of: folder.path("file")) == "precious\n")
  }

  @Test func `a root in which nothing can be written is refused with the reason`() async throws {
    let (_, root) = try await root()
    // As on a file system that is mounted for reading, the file cannot be made.
    try TestFolder.makeFolder(root.adminDirectory + "/lock-fettle")
    let error = try #require(throws: InstallationError.self) {
      try root.claim(stateFolder: "/s")
    }
    #expect(error.code == .badRoot && error.hint?.contains("writable") == true)
  }
}
