internal import Glibc
import HostSystem
internal import InstallJobs

extension PackageRoot {
  /// The process that holds a lock of the package database, if any.
  ///
  /// The front ends' lock is asked first: it is held for the whole of their work.
  var lockHolder: LockHolder? {
    for path in [frontendLock, databaseLock] {
      guard let pid = LockFile.holder(of: path) else { continue }
      return LockHolder(process: pid)
    }
    return nil
  }

  /// A lock of the package database that is there and may not be asked about; nil where all may.
  var hiddenLock: String? {
    [frontendLock, databaseLock].first { RootFiles.exists($0) && !RootFiles.isReadable($0) }
  }

  /// Whether nobody holds the package lock, for all that can be known.
  var isKnownToRest: Bool { lockHolder == nil && hiddenLock == nil }

  /// The architectures besides the native one whose packages dpkg takes.
  var foreignArchitectures: Set<String> {
    let lines = (RootFiles.text(of: path("var/lib/dpkg/arch")) ?? "").split(separator: "\n")
    return Set(lines.map(String.init))
  }

  /// Packages that dpkg was at work on when it was interrupted.
  ///
  /// dpkg writes each change to a numbered file first and empties that folder at its end; apt takes
  /// such a file for the sign of an interrupted dpkg.
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

/// Record locks as dpkg and apt take them (fcntl(2)).
enum LockFile {
  /// The process whose lock keeps others from writing.
  ///
  /// Nil when nobody has one, or when the path is no file that can be read; -1 stands for a lock of
  /// an open file description, which belongs to no single process.
  static func holder(of path: String) -> Int32? {
    // For reading: whoever waits for a lock to be let go hears of files closed that were written to.
    // Whoever owns a private root may have put anything there, and a look must not wait for it.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
    let descriptor = unsafe open(path, flags)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    var record = flock()
    record.l_type = Int16(F_WRLCK)
    record.l_whence = Int16(SEEK_SET)
    guard unsafe fcntl(descriptor, F_GETLK, &record) == 0, record.l_type != Int16(F_UNLCK) else {
      return nil
    }
    return record.l_pid
  }
}
