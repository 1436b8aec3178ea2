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
    // O_NONBLOCK: opening a fifo without a writer would block forever.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return MonitorMemory() }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= 1 << 20
    else { return MonitorMemory() }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= 1 << 20 {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe Glibc.read(file, $0.baseAddress, $0.count)
      }
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
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
    let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure(path, "cannot be written in \(folder)") }
    let isWritten = Self.write(Array(text.utf8), to: file) && fsync(file) == 0
    let isClosed = close(file) == 0
    guard isWritten, isClosed, unsafe rename(draft, target) == 0 else {
      let failure = Self.failure(path, "cannot be written")
      _ = unsafe unlink(draft)
      throw failure
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

  private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(file, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func failure(_ path: String, _ what: String) -> SettingsError {
    let reason = unsafe String(cString: strerror(errno))
    return SettingsError(file: path, problem: "\(what): \(reason)")
  }
}
