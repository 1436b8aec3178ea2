import Glibc
import InstallJobs
import JobClient
import Support
import Testing

/// A file system of a few megabytes that only one engine sees, and that a test can fill.
///
/// It is mounted in a mount namespace of the engine's own and goes with its last process.
struct SmallDisk: Sendable {
  /// Where it is, from the repository's folder on.
  let place: String
  /// Its size in bytes.
  let size: Int

  /// What comes before the engine's command.
  func surroundings(_ repository: PackageRepository) throws -> [String] {
    try words(repository, filling: "true")
  }

  /// The same, where the disk hides an empty package database and holds one itself.
  func asPackageDatabase(_ repository: PackageRepository) throws -> [String] {
    try words(
      repository,
      filling: "mkdir info updates triggers && : > status && chown -R \(TestUser.id) .")
  }

  private func words(_ repository: PackageRepository, filling: String) throws -> [String] {
    let path = repository.folder.path(place)
    try TestFolder.makeFolder(path)
    let options = "size=\(size),mode=711,uid=\(TestUser.id),gid=\(TestUser.id)"
    let script =
      #"mount -t tmpfs -o "$1" fettle-test "$2" && cd "$2" && "# + filling
      + #" && cd / && shift 2 && exec "$@""#
    return Self.namespace + [script, "sh", options, path]
  }

  /// The words before a script that may mount what it likes.
  static let namespace = [
    "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c",
  ]

  /// Whether file systems can be mounted here, which needs root with all its rights.
  static func canBeMade() async -> Bool {
    guard geteuid() == 0 else { return false }
    let probe = try? await ToolOutput.of(
      namespace + ["mount -t tmpfs -o size=4096 fettle-test /mnt"])
    return probe?.status == 0
  }

  /// The path under which the test, which is in another namespace, finds it.
  func path(of engine: RealEngine) async throws -> String {
    let pid = try await engine.session.status().engine.pid
    return "/proc/\(pid)/root" + engine.repository.folder.path(place)
  }

  /// Takes all the room that is left.
  func fill(at path: String) throws {
    let file = unsafe open(path + "/filler", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FixtureError("cannot fill \(path)") }
    defer { close(file) }
    let block = [UInt8](repeating: 1, count: 4096)
    while unsafe write(file, block, block.count) > 0 {}
    guard errno == ENOSPC else { throw FixtureError("cannot fill all of \(path)") }
  }

  /// Gives the room back.
  func free(at path: String) { unsafe unlink(path + "/filler") }

  /// Lets nobody write to it any more, or again, as the kernel does after an error.
  func remount(writable isWritable: Bool, in engine: RealEngine) async throws {
    let pid = try await engine.session.status().engine.pid
    let result = try await ToolOutput.of([
      "/usr/bin/nsenter", "--mount=/proc/\(pid)/ns/mnt", "mount", "-o",
      isWritable ? "remount,rw" : "remount,ro", engine.repository.folder.path(place),
    ])
    guard result.status == 0 else { throw FixtureError("cannot remount: \(result.errors)") }
  }
}
