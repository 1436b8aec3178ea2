import Glibc

/// File operations for package roots.
package enum RootFiles {
  /// The identity and status of a file, to detect changes.
  package struct Trace: Sendable, Hashable {
    /// The inode number.
    package var inode: UInt64
    /// The size in bytes.
    package var size: Int64
    /// Time of the last change of the content, in nanoseconds since 1970.
    package var modified: Int64
    /// The file type and permission bits (`st_mode`).
    package var mode: UInt32
    /// The owner's user id.
    package var owner: UInt32
  }

  /// Returns the status of a file, following symbolic links; nil when it cannot be read.
  package static func status(_ path: String) -> Trace? {
    var record = stat()
    guard unsafe stat(path, &record) == 0 else { return nil }
    return Trace(
      inode: UInt64(record.st_ino), size: Int64(record.st_size),
      modified: Int64(record.st_mtim.tv_sec) * 1_000_000_000 + Int64(record.st_mtim.tv_nsec),
      mode: record.st_mode, owner: record.st_uid)
  }

  /// Returns whether the path exists, following symbolic links.
  package static func exists(_ path: String) -> Bool { status(path) != nil }

  /// Returns whether the path exists; a dangling symbolic link counts.
  package static func linkExists(_ path: String) -> Bool {
    var record = stat()
    return unsafe lstat(path, &record) == 0
  }

  /// Returns whether the path is a folder, following symbolic links.
  package static func isFolder(_ path: String) -> Bool {
    status(path).map { $0.mode & S_IFMT == S_IFDIR } ?? false
  }

  /// Returns whether the path is a regular file, following symbolic links.
  package static func isFile(_ path: String) -> Bool {
    status(path).map { $0.mode & S_IFMT == S_IFREG } ?? false
  }

  /// Returns whether the real user of this process may read the file.
  package static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

  /// Returns whether the real user of this process may write the file.
  package static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

  /// Returns the free bytes at a path for unprivileged users; nil when unknown.
  package static func freeBytes(at path: String) -> Int64? {
    var record = statvfs()
    guard unsafe statvfs(path, &record) == 0 else { return nil }
    return Int64(clamping: UInt64(record.f_bavail) &* UInt64(record.f_frsize))
  }

  /// Returns the path without symbolic links and dots; nil when it does not exist.
  package static func resolved(_ path: String) -> String? {
    guard let pointer = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(pointer) }
    return unsafe String(validatingCString: pointer)
  }

  /// Returns the target of a symbolic link; nil when it cannot be read.
  package static func linkTarget(of path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return -1 }
      return unsafe readlink(path, start, bytes.count)
    }
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }

  /// Returns the sorted names in a folder, without `.` and `..`; empty when it cannot be read.
  package static func names(in folder: String) -> [String] { readableNames(in: folder) ?? [] }

  /// Returns the sorted names in a folder, without `.` and `..`; nil, with `errno`, when it cannot
  /// be opened.
  package static func readableNames(in folder: String) -> [String]? {
    guard let stream = unsafe opendir(folder) else { return nil }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Creates a folder and its missing parents; existing folders are left unchanged.
  ///
  /// - Returns: Whether the folder exists afterwards.
  package static func makeFolder(_ path: String) -> Bool {
    if isFolder(path) { return true }
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return false }
    guard makeFolder(String(path[..<slash])) else { return false }
    return unsafe mkdir(path, 0o755) == 0 || isFolder(path)
  }

  /// Returns the first `limit` bytes of a regular file; nil for another kind of file or when it
  /// cannot be read.
  ///
  /// Opening a fifo or a device in its place does not block.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - limit: The most bytes to read.
  ///   - followsLink: Whether the path itself may be a symbolic link.
  /// - Returns: The bytes.
  package static func bytes(of path: String, limit: Int, followsLink: Bool = true) -> [UInt8]? {
    guard let file = Descriptor(opening: path, O_RDONLY | (followsLink ? 0 : O_NOFOLLOW)),
      file.isRegular
    else { return nil }
    return file.read(limit: limit)
  }

  /// Returns the first `limit` bytes of a file as text; nil when it cannot be read.
  package static func text(of path: String, limit: Int = 1 << 20) -> String? {
    bytes(of: path, limit: limit).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes a whole file; false on failure.
  package static func write(_ content: [UInt8], to path: String, mode: UInt32 = 0o644) -> Bool {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
    return Descriptor(opening: path, flags, mode: mode)?.write(content) ?? false
  }

  /// Writes a text as a whole file; false on failure.
  package static func write(_ text: String, to path: String, mode: UInt32 = 0o644) -> Bool {
    write(Array(text.utf8), to: path, mode: mode)
  }

  /// Replaces a file atomically and flushes it to the disk: readers see the old or the new content.
  ///
  /// - Parameters:
  ///   - path: The file's path; a symbolic link there is replaced, not followed.
  ///   - content: The whole content.
  ///   - mode: The new file's permission bits.
  ///   - draft: The path of the new file until it is complete, in the same folder; nil appends
  ///     `.new` to the path. A file that is there is removed first.
  ///   - prepare: Called with the new, empty file; false ends the replacement.
  /// - Returns: False, with `errno`, on failure; the old file is then unchanged.
  package static func replace(
    _ path: String, with content: [UInt8], mode: UInt32 = 0o600, draft: String? = nil,
    prepare: (Descriptor) -> Bool = { _ in true }
  ) -> Bool {
    let draft = draft ?? path + ".new"
    unsafe unlink(draft)
    guard
      let file = Descriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    else { return false }
    guard prepare(file), file.write(content), fsync(file.number) == 0,
      unsafe rename(draft, path) == 0
    else {
      let reason = errno
      unsafe unlink(draft)
      errno = reason
      return false
    }
    _ = flush(folder: path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
    return true
  }

  /// Flushes the names in a folder to the disk.
  package static func flush(folder: String) -> Bool {
    Descriptor(opening: folder, O_RDONLY | O_DIRECTORY).map { fsync($0.number) == 0 } ?? false
  }

  /// Copies a regular file of at most 256 MiB.
  ///
  /// - Parameters:
  ///   - source: The file to copy.
  ///   - target: The copy.
  ///   - mode: The permission bits of a copy that does not exist yet.
  ///   - isNew: Whether an existing target is an error; the copy then has exactly `mode`.
  /// - Returns: Whether the whole file was copied.
  package static func copy(
    _ source: String, to target: String, mode: UInt32 = 0o644, isNew: Bool = false
  ) -> Bool {
    var record = stat()
    guard let file = Descriptor(opening: source, O_RDONLY),
      unsafe fstat(file.number, &record) == 0, record.st_mode & S_IFMT == S_IFREG,
      record.st_size <= 1 << 28,
      let copy = Descriptor(
        opening: target, O_WRONLY | O_CREAT | O_NOFOLLOW | (isNew ? O_EXCL : O_TRUNC), mode: mode)
    else { return false }
    return file.send(to: copy, count: Int(record.st_size))
      && (!isNew || fchmod(copy.number, mode) == 0)
  }

  /// Creates a folder that only this user can read, in `$TMPDIR` or `/tmp`; nil on failure.
  ///
  /// Root uses `/tmp` when another user could replace the folder in `$TMPDIR`.
  package static func makeScratchFolder() -> String? {
    let base = TemporaryFolder.path
    var template = Array("\(base)/fettle-XXXXXX".utf8CString)
    let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe mkdtemp(start) != nil
    }
    guard isMade else { return nil }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes a folder that contains only files, and the files.
  package static func removeFlatFolder(_ path: String) {
    for name in names(in: path) { unsafe unlink(path + "/" + name) }
    unsafe rmdir(path)
  }
}
