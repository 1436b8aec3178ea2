import AptProvider
import Glibc
import InstallJobs
import Support
import Testing

/// Who may rely on what a package root contains; needs root.
@Suite(.enabled(if: geteuid() == 0)) struct `Opening a package root` {
  private func refusal(_ path: String, for user: UInt32) throws -> InstallationError {
    try #require(throws: InstallationError.self) { try PackageRoot(at: path, for: user) }
  }

  @Test func `that is private is for its owner alone, not even for root`() async throws {
    let repository = try await PackageRepository([])
    _ = try PackageRoot(at: repository.root, for: TestUser.id)
    for user in [0, TestUser.id + 1] {
      let error = try refusal(repository.root, for: user)
      #expect(error.code == .notPermitted)
      #expect(
        error.message.contains("\(repository.root) as ") && error.message.contains("\(TestUser.id)")
      )
      #expect(error.hint == "run this as user \(TestUser.id), who owns it")
    }
  }

  @Test(arguments: [
    "etc/apt", "etc/apt/apt.conf.d/10theirs", "etc/apt/sources.list.d", "etc/apt/preferences.d/x",
    "etc/apt/trusted.gpg.d", "var/lib/dpkg", "var/lib/dpkg/status", "var/lib/apt", "",
  ])
  func `that is private needs files that nobody else owns or may write`(name: String) async throws {
    let repository = try await PackageRepository([])
    let path = name.isEmpty ? repository.root : repository.root + "/" + name
    if name.hasSuffix("theirs") || name.hasSuffix("/x") { try TestFolder.write("", to: path) }
    try change(path) {
      let error = try refusal(repository.root, for: TestUser.id)
      #expect(error.code == .notPermitted, "\(error)")
      #expect(name.isEmpty || error.message.contains("'\(path)'"), "\(error)")
    }
  }

  @Test(arguments: [
    "etc", "etc/apt", "etc/apt/apt.conf.d/10theirs", "etc/apt/auth.conf.d", "var/lib/dpkg/status",
    "var/lib/apt", "usr/bin/dpkg", "usr/bin", "bin/sh", "", "var/lib/dpkg/info/pkg.prerm",
    "var/lib/dpkg/triggers/File", "var/log/apt", "var/log/apt/history.log",
    "var/cache/apt/archives", "var/cache/apt/archives/pkg.deb", "var/lib/apt/lists/index",
  ])
  func `that is a tree needs files that are root's alone`(name: String) throws {
    let folder = try TestFolder()
    for name in [
      "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/apt", "etc/apt/apt.conf.d",
      "etc/apt/auth.conf.d",
    ] { try TestFolder.makeFolder(folder.path(name)) }
    for name in [
      "var/lib/dpkg/status", "usr/bin/dpkg", "bin/sh", "etc/apt/apt.conf.d/10theirs",
      "var/lib/dpkg/info/pkg.prerm", "var/lib/dpkg/triggers/File", "var/log/apt/history.log",
      "var/cache/apt/archives/pkg.deb", "var/lib/apt/lists/index",
    ] {
      try TestFolder.makeFolder(
        folder.path(name.split(separator: "/").dropLast().joined(separator: "/")))
      try TestFolder.write("", to: folder.path(name))
    }
    try TestFolder.makeFolder(folder.path("var/lib/apt/lists/partial"))
    try TestFolder.handAll(folder.path, to: 0)
    // As apt leaves it.
    let partial = folder.path("var/lib/apt/lists/partial")
    #expect(unsafe chown(partial, TestUser.id, TestUser.id) == 0)
    _ = try PackageRoot(at: folder.path, for: 0)
    let path = name.isEmpty ? folder.path : folder.path(name)
    try change(path) {
      let error = try refusal(folder.path, for: 0)
      #expect(error.code == .notPermitted, "\(error)")
      #expect(error.message.contains("'\(path)'"), "\(error)")
    }
  }

  @Test func `that is a tree needs folders above it that are root's alone`() throws {
    let folder = try TestFolder()
    for name in ["var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/apt"] {
      try TestFolder.makeFolder(folder.path("tree/" + name))
    }
    try TestFolder.handAll(folder.path("tree"), to: 0)
    let error = try refusal(folder.path("tree"), for: 0)
    #expect(error.code == .notPermitted && error.message.contains("'\(folder.path)'"), "\(error)")
  }

  @Test func `is not made where another user can change a folder above it`() async throws {
    let folder = try TestFolder()
    try TestFolder.makeFolder(folder.path("shared"))
    try TestFolder.handAll(folder.path, to: 0)
    try #require(unsafe chmod(folder.path("shared"), 0o775) == 0)
    let error = try await #require(throws: InstallationError.self) {
      try await PackageRoot.create(at: folder.path("shared/root"), likeHost: false)
    }
    #expect(error.code == .badRoot && error.message.contains("'\(folder.path("shared"))'"))
    #expect(!TestFolder.exists(folder.path("shared/root")))
  }

  /// Gives a file to somebody else, then lets the group, then everybody write it, and back.
  private func change(_ path: String, _ check: () throws -> Void) throws {
    var record = stat()
    try #require(unsafe stat(path, &record) == 0)
    try #require(unsafe chown(path, TestUser.id + 1, TestUser.id + 1) == 0)
    try check()
    try #require(unsafe chown(path, record.st_uid, record.st_gid) == 0)
    for bit: mode_t in [0o020, 0o002] {
      try #require(unsafe chmod(path, record.st_mode & 0o7777 | bit) == 0)
      try check()
      try #require(unsafe chmod(path, record.st_mode & 0o7777) == 0)
    }
  }
}
