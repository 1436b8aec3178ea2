internal import FoundationEssentials
internal import Glibc

/// A file system of its own on an image in memory: what was not yet written to the image is lost when
/// the power goes.
struct BlockDisk: Sendable {
  /// Where it is mounted.
  let mountPoint: String
  private let image: String

  /// Makes an ext4 file system and mounts it on an existing folder.
  ///
  /// - Parameters:
  ///   - image: The image's path, in a folder of a ``MemoryDisk``.
  ///   - mountPoint: The folder.
  ///   - commit: Every how many seconds the kernel writes what nobody asked it to.
  /// - Throws: ``CannotMeasure`` where the machine does not allow it.
  init(image: String, on mountPoint: String, commit: Int) async throws {
    self.image = image
    self.mountPoint = mountPoint
    let file = unsafe open(image, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0, ftruncate(file, 256 << 20) == 0 else {
      throw CannotMeasure("cannot make the image '\(image)'")
    }
    close(file)
    // No blocks for root alone: a bench of root's that fills the disk would use them up, and what an
    // engine without rights gives up would go to them and not to the engine.
    try await Self.run(["/sbin/mkfs.ext4", "-q", "-F", "-m", "0", image], image)
    try await mount(commit: commit)
  }

  private init(copy image: String, on mountPoint: String) async throws {
    self.image = image
    self.mountPoint = mountPoint
    // As a machine does that boots again; 1 says that something was corrected.
    try await Self.run(
      ["/bin/sh", "-c", #"e2fsck -p "$1" || [ $? -eq 1 ]"#, "sh", image], image)
    try await mount(commit: 5)
  }

  private func mount(commit: Int) async throws {
    try await Self.run(
      ["/bin/mount", "-o", "loop,commit=\(commit)", image, mountPoint], image)
  }

  /// Copies the image as it is and returns its path: what lies only in the kernel's memory is not in it.
  ///
  /// Nobody may write to the disk meanwhile.
  ///
  /// - Throws: ``CannotMeasure`` where there is no room.
  func copyImage() async throws -> String {
    let copy = image + ".cut"
    try await Self.run(["/bin/cp", "--sparse=always", image, copy], copy)
    return copy
  }

  /// Mounts an image that was copied, after the check of a boot, on a folder that it makes.
  ///
  /// - Throws: ``CannotMeasure`` where it cannot be mounted.
  static func mounted(copy image: String, on folder: String) async throws -> BlockDisk {
    guard unsafe mkdir(folder, 0o755) == 0 || errno == EEXIST else {
      throw CannotMeasure("cannot make the folder '\(folder)'")
    }
    return try await BlockDisk(copy: image, on: folder)
  }

  /// Unmounts it and removes the image.
  func remove() {
    Mount.remove(mountPoint)
    unsafe unlink(image)
  }

  private static func run(_ words: [String], _ image: String) async throws {
    _ = try await ChildProgram.run(words, environment: PrivateRoot.environment, log: image + ".log")
  }
}
