internal import Glibc

/// A file system in memory with little room, which a test mounts, fills and unmounts again.
///
/// Mounting needs root with all its rights.
package final class SmallFileSystem: Sendable {
  /// Where it is mounted.
  package let path: String

  /// Mounts one in a folder of its own.
  ///
  /// - Parameters:
  ///   - size: Its size in bytes.
  ///   - files: How many files it can hold; nil for more than a test makes.
  /// - Throws: `FixtureError` where that is not possible.
  package init(size: Int, files: Int? = nil) throws {
    path = try TestFolder.makeTemporary(below: 60)
    let options = "size=\(size),mode=700" + (files.map { ",nr_inodes=\($0)" } ?? "")
    guard unsafe mount("fettle-test", path, "tmpfs", 0, options) == 0 else {
      let reason = errno
      unsafe rmdir(path)
      throw FixtureError("cannot mount a file system: error \(reason)")
    }
  }

  deinit {
    unsafe umount2(path, Int32(MNT_DETACH))
    unsafe rmdir(path)
  }

  /// Whether file systems can be mounted here.
  package static var canBeMade: Bool {
    geteuid() == 0 && (try? SmallFileSystem(size: 1 << 16)) != nil
  }

  /// Takes all the room that is left.
  package func fill() throws {
    let file = unsafe open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FixtureError("cannot fill \(path): error \(errno)") }
    defer { close(file) }
    for size in [1 << 16, 4096, 1] {
      let block = [UInt8](repeating: 1, count: size)
      while unsafe write(file, block, block.count) > 0 {}
    }
    guard errno == ENOSPC else { throw FixtureError("cannot fill all of \(path): error \(errno)") }
  }

  /// Takes all the files that are left.
  package func useUpFiles() throws {
    for number in 0... {
      let file = unsafe open(
        "\(path)/filler-\(number)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      guard file >= 0 else {
        guard errno == ENOSPC else { throw FixtureError("cannot use up \(path): error \(errno)") }
        return
      }
      close(file)
    }
  }

  /// Gives back what was taken.
  package func free() {
    unsafe unlink(path + "/filler")
    var number = 0
    while unsafe unlink("\(path)/filler-\(number)") == 0 { number += 1 }
  }
}
