internal import Glibc

/// A file system in memory with a size of its own; only root can make one.
struct MemoryDisk: Sendable {
  /// Where it is mounted.
  let path: String

  /// Mounts one on a folder.
  ///
  /// - Throws: ``CannotMeasure`` where the machine does not allow it.
  init(on folder: String, megabytes: Int) async throws {
    path = folder
    _ = try await ChildProgram.run(
      ["/bin/mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=755", "tmpfs", folder],
      environment: PrivateRoot.environment, log: folder + ".log")
  }

  /// Unmounts it.
  func remove() { Mount.remove(path) }
}

/// What is mounted for a measurement.
enum Mount: Sendable {
  /// Unmounts a folder; what is still held there goes with its holder.
  static func remove(_ folder: String) {
    for _ in 0..<50 {
      if unsafe umount(folder) == 0 || errno == EINVAL || errno == ENOENT { return }
      usleep(20_000)
    }
    unsafe umount2(folder, Int32(bitPattern: 2))
  }
}
