internal import CProcess
internal import Glibc

/// A path that only trusted users can change: they own it, every folder above it and every symbolic
/// link on the way, and neither the group nor others may write any of them.
///
/// A sticky folder that others may write (`/tmp`) is accepted above the path, because there only
/// its owner, who must be trusted, can rename or remove the next component. Access control lists
/// need no separate check: the group bits show the most that they grant.
package struct TrustedPath: Sendable, Hashable {
  /// The path without symbolic links.
  package let path: String

  /// Checks a path, component by component from `/`, following links as the kernel does.
  ///
  /// - Parameters:
  ///   - path: An absolute path. It must exist.
  ///   - owners: The trusted owners besides root.
  ///   - base: The folder where absolute links start and above which `..` does not lead: the root
  ///     directory of the processes that use the path. It must be a prefix of `path` without links.
  /// - Throws: ``UntrustedPath`` for the first component that fails.
  package init(
    _ path: String, owners: Set<UInt32> = [geteuid()], base: String = "/"
  ) throws(UntrustedPath) {
    var walk = PathWalk(path, owners: owners, base: base)
    self.path = try walk.end()
  }

  /// Checks the part of a path that exists.
  ///
  /// - Parameters:
  ///   - path: An absolute path whose last components need not exist.
  ///   - owners: The trusted owners besides root.
  /// - Returns: The deepest existing path without links, and the missing components below it.
  /// - Throws: ``UntrustedPath`` for the first existing component that fails.
  package static func existing(
    _ path: String, owners: Set<UInt32> = [geteuid()]
  ) throws(UntrustedPath) -> (existing: String, missing: [String]) {
    var walk = PathWalk(path, owners: owners, base: "/")
    do throws(UntrustedPath) {
      return (try walk.end(), [])
    } catch {
      guard error.isMissing else { throw error }
      return (walk.current, walk.missing)
    }
  }

  /// Checks a path if this process runs as root; other users decide for themselves which files they
  /// trust.
  ///
  /// - Throws: ``UntrustedPath``; a path that does not exist is accepted if only root can create
  ///   it.
  package static func requireForRoot(_ path: String) throws(UntrustedPath) {
    guard geteuid() == 0 else { return }
    var walk = PathWalk(path, owners: [0], base: "/")
    do throws(UntrustedPath) {
      _ = try walk.end()
    } catch {
      guard error.isMissing else { throw error }
      // Another user may create it in a sticky folder after this check.
      try walk.requireUnshared()
    }
  }

  /// Checks a folder if this process runs as root: entries that root creates in it must stay
  /// root's.
  ///
  /// A sticky folder that every user may write is accepted.
  ///
  /// - Throws: ``UntrustedPath``; a folder that does not exist is accepted if its existing parents
  ///   pass the check.
  package static func requireEntriesForRoot(in folder: String) throws(UntrustedPath) {
    guard geteuid() == 0 else { return }
    var walk = PathWalk(folder, owners: [0], base: "/")
    walk.acceptsShared = true
    do throws(UntrustedPath) {
      _ = try walk.end()
    } catch {
      guard error.isMissing else { throw error }
    }
  }
}

extension TrustedPath {
  /// Throws if a tree whose programs root runs is on a disk that users may have brought.
  ///
  /// - Parameter path: An absolute path that exists.
  /// - Throws: ``UntrustedPath``.
  package static func requireOwnDisk(of path: String) throws(UntrustedPath) {
    guard let disk = MountedDisk.of(path) else { throw UntrustedPath(path, .unknownDisk) }
    guard !disk.isBroughtByUser else { throw UntrustedPath(path, .usersDisk) }
  }
}

/// The walk along a path, one component at a time.
private struct PathWalk {
  private(set) var current: String
  private var parts: ArraySlice<String>
  private let owners: Set<UInt32>
  private let base: String
  private var links = 0
  // Whether other users may create entries in the current folder.
  private var isShared = false
  // The device of the last examined component, whose owners can be believed.
  private var device: dev_t?
  /// Whether the path may end in a sticky folder that others may write.
  var acceptsShared = false

  init(_ path: String, owners: Set<UInt32>, base: String) {
    self.owners = owners.union([0])
    self.base = base
    current = "/"
    parts = path.split(separator: "/").map(String.init)[...]
  }

  /// The components that remain.
  var missing: [String] { Array(parts) }

  mutating func end() throws(UntrustedPath) -> String {
    try examineFolder()
    while let part = parts.first {
      guard part != "." else {
        parts.removeFirst()
        continue
      }
      guard part != ".." else {
        parts.removeFirst()
        try ascend()
        continue
      }
      let next = Self.join(current, part)
      let record = try Self.record(of: next)
      try requireTrustedFileSystem(record, of: next)
      try requireOwner(record, of: next)
      parts.removeFirst()
      if record.st_mode & S_IFMT == S_IFLNK {
        try follow(next)
      } else if record.st_mode & S_IFMT == S_IFDIR {
        current = next
        try examineFolder()
      } else {
        guard parts.isEmpty else { throw UntrustedPath(next, .notAFolder) }
        // The permission bits of a socket say who may connect to it.
        guard record.st_mode & S_IFMT == S_IFSOCK || record.st_mode & 0o022 == 0 else {
          throw UntrustedPath(next, .writable(record.st_mode))
        }
        return next
      }
    }
    if !acceptsShared { try requireUnshared() }
    return current
  }

  /// Throws if other users may create entries in the current folder.
  func requireUnshared() throws(UntrustedPath) {
    guard !isShared else {
      throw UntrustedPath(current, .writable(try Self.record(of: current).st_mode))
    }
  }

  private mutating func examineFolder() throws(UntrustedPath) {
    let record = try Self.record(of: current)
    try requireTrustedFileSystem(record, of: current)
    try requireOwner(record, of: current)
    isShared = record.st_mode & 0o022 != 0
    guard !isShared || record.st_mode & S_ISVTX != 0 else {
      throw UntrustedPath(current, .writable(record.st_mode))
    }
  }

  private mutating func ascend() throws(UntrustedPath) {
    guard current != base, let slash = current.lastIndex(of: "/") else { return }
    current = slash == current.startIndex ? "/" : String(current[..<slash])
    try examineFolder()
  }

  private mutating func follow(_ link: String) throws(UntrustedPath) {
    links += 1
    guard links <= 40 else { throw UntrustedPath(link, .tooManyLinks) }
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink(link, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { throw UntrustedPath(link, .unreadable(errno)) }
    // A target that is not UTF-8 is refused: repaired text would name another file than the kernel
    // follows.
    guard
      let target = String(validating: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    else { throw UntrustedPath(link, .unreadable(EILSEQ)) }
    if target.hasPrefix("/") {
      current = base
      try examineFolder()
    }
    parts = target.split(separator: "/").map(String.init) + parts
  }

  /// Throws if a FUSE program of an untrusted user reports owner and mode of the path.
  private mutating func requireTrustedFileSystem(_ record: stat, of path: String)
    throws(UntrustedPath)
  {
    guard record.st_dev != device else { return }
    let isOnFUSE = unsafe file_is_on_fuse(path)
    guard isOnFUSE >= 0 else { throw UntrustedPath(path, .unreadable(errno)) }
    if isOnFUSE == 1 {
      // Other file systems of the kernel (virtiofs) have the same file system number.
      guard let disk = MountedDisk.of(path),
        !disk.isAnsweredByProgram || disk.answeringUser.map(owners.contains) ?? false
      else { throw UntrustedPath(path, .claimedOwners) }
    }
    device = record.st_dev
  }

  private func requireOwner(_ record: stat, of path: String) throws(UntrustedPath) {
    guard owners.contains(record.st_uid) else {
      throw UntrustedPath(path, .owner(record.st_uid))
    }
  }

  private static func record(of path: String) throws(UntrustedPath) -> stat {
    var record = stat()
    guard unsafe lstat(path, &record) == 0 else { throw UntrustedPath(path, .unreadable(errno)) }
    return record
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/" + name : "\(folder)/\(name)"
  }
}
