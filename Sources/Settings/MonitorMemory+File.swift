import FoundationEssentials
import Glibc
import HostSystem

extension MonitorMemory {
  /// Reads the file at `path`; an empty memory when it cannot be read.
  ///
  /// Only a regular file of at most 1 MiB is read, also through a symbolic link. Root reads no file
  /// that another user can change.
  package static func read(_ path: String) -> MonitorMemory {
    guard (try? TrustedPath.requireForRoot(path)) != nil else { return MonitorMemory() }
    guard let bytes = RootFiles.bytes(of: path, limit: (1 << 20) + 1), bytes.count <= 1 << 20 else {
      return MonitorMemory()
    }
    return MonitorMemory(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Replaces the file at `path` atomically: readers see the old or the new content.
  ///
  /// A symbolic link is kept and its target is replaced. Missing folders are created with mode
  /// 0700.
  ///
  /// - Throws: ``SettingsError`` when the file cannot be written; the old file is then unchanged.
  package func write(_ path: String) throws(SettingsError) {
    do {
      try TrustedPath.requireForRoot(path)
    } catch {
      throw SettingsError(file: path, problem: "root writes nothing there: \(error)")
    }
    let target = try Self.target(of: path)
    let folder = target.lastIndex(of: "/").map { String(target[..<$0]) } ?? "."
    Self.makeFolders(folder)
    let draft = "\(folder)/.monitor.\(getpid()).\(UInt32.random(in: 0...UInt32.max)).toml"
    guard RootFiles.replace(target, with: Array(text.utf8), draft: draft) else {
      let reason = unsafe String(cString: strerror(errno))
      throw SettingsError(file: path, problem: "cannot be written in \(folder): \(reason)")
    }
  }

  /// Returns the end of a chain of symbolic links; the path itself when it is not a link.
  private static func target(of path: String) throws(SettingsError) -> String {
    var path = path
    for _ in 0..<40 {
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { return path }
      switch status.st_mode & S_IFMT {
      case S_IFREG:
        return path
      case S_IFLNK:
        guard
          let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        else { throw SettingsError(file: path, problem: "is a link that cannot be read") }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        path = link.hasPrefix("/") ? link : folder + link
      default:
        throw SettingsError(file: path, problem: "is not a regular file and stays as it is")
      }
    }
    throw SettingsError(file: path, problem: "is a link that leads to itself")
  }

  private static func makeFolders(_ folder: String) {
    var path = folder.hasPrefix("/") ? "" : "."
    for part in folder.split(separator: "/") {
      path += "/" + part
      _ = unsafe mkdir(path, 0o700)
    }
  }
}
