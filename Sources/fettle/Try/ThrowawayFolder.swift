import Glibc
import HostSystem
import InstallJobs

/// A folder of its own for one `fettle try`, removed with everything in it.
struct ThrowawayFolder {
  /// Its absolute path.
  let path: String

  /// Makes the folder, for this user alone, in `$TMPDIR` or `/tmp`.
  ///
  /// - Throws: `noSpace` when it cannot be made.
  init() throws(InstallationError) {
    var base = TemporaryFolder.path
    // The engine that root starts becomes a user who cannot pass a closed folder.
    if geteuid() == 0, !Self.isPassable(base) { base = "/tmp" }
    // A socket's path has at most 107 bytes; a long $TMPDIR must not cost the try.
    for folder in base.utf8.count < 70 ? [base, "/tmp"] : ["/tmp"] {
      var template = Array("\(folder)/fettle-try-XXXXXX".utf8CString)
      let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
        unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
      }
      guard made else { continue }
      path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      return
    }
    throw InstallationError(
      .noSpace, "cannot make a folder in '\(base)'", hint: "set TMPDIR to a folder with space")
  }

  /// Whether the folder is still there.
  var isThere: Bool { unsafe access(path, F_OK) == 0 }

  /// Removes the folder where the engine has not done so.
  ///
  /// Its content is removed by whose it is: root must not walk through another user's tree.
  func remove() {
    guard isThere else { return }
    EngineProgram.run(["discard", path])
    unsafe rmdir(path)
  }

  private static func isPassable(_ path: String) -> Bool {
    var folder = ""
    for part in path.split(separator: "/") {
      folder += "/" + part
      var status = stat()
      guard unsafe stat(folder, &status) == 0, status.st_mode & 0o001 != 0 else { return false }
    }
    return true
  }
}
