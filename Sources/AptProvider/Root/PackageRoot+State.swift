internal import Glibc
import HostSystem
internal import InstallJobs

extension PackageRoot {
  /// The process that holds a lock of the package database; nil when none does.
  ///
  /// Checks the front ends' lock first, because it is held for all their work.
  var lockHolder: LockHolder? {
    for path in [frontendLock, databaseLock] {
      guard let pid = LockFile.holder(of: path) else { continue }
      return LockHolder(process: pid)
    }
    return nil
  }

  /// A lock file of the package database that exists and cannot be read; nil where there is none.
  var unreadableLock: String? {
    [frontendLock, databaseLock].first { RootFiles.exists($0) && !RootFiles.isReadable($0) }
  }

  /// Whether no process holds the package lock, and all lock files can be read.
  var isIdle: Bool { lockHolder == nil && unreadableLock == nil }

  /// The foreign architectures whose packages dpkg accepts.
  var foreignArchitectures: Set<String> {
    let lines = (RootFiles.text(of: path("var/lib/dpkg/arch")) ?? "").split(separator: "\n")
    return Set(lines.map(String.init))
  }

  /// The packages with changes noted by an interrupted dpkg.
  ///
  /// dpkg writes each change to a numbered file first and empties that folder at its end. apt
  /// treats such a file as the sign of an interrupted dpkg.
  var journaledNames: [String] {
    var names: [String] = []
    for file in noteFiles {
      for line in (RootFiles.text(of: file) ?? "").split(separator: "\n") {
        guard line.hasPrefix("Package: ") else { continue }
        let name = line.dropFirst(9)
        if Update.isPackageName(name), !names.contains(String(name)) { names.append(String(name)) }
      }
    }
    return names
  }
}

/// The record locks of dpkg and apt (fcntl(2)).
enum LockFile {
  /// Returns the process whose lock prevents others from writing.
  ///
  /// Nil when there is no lock, or when the path is not a regular file that can be read. -1 for a
  /// lock of an open file description, which belongs to no single process.
  static func holder(of path: String) -> Int32? {
    // Opened for reading: closing a file opened for writing would wake processes that watch for the
    // lock's release.
    guard let file = Descriptor(opening: path, O_RDONLY | O_NOFOLLOW), file.isRegular else {
      return nil
    }
    var record = flock()
    record.l_type = Int16(F_WRLCK)
    record.l_whence = Int16(SEEK_SET)
    guard unsafe fcntl(file.number, F_GETLK, &record) == 0, record.l_type != Int16(F_UNLCK) else {
      return nil
    }
    return record.l_pid
  }
}
