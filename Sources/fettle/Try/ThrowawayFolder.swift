import Glibc
import HostSystem
import InstallJobs

/// The temporary folder of one `fettle try`, removed with its content at the end.
struct ThrowawayFolder {
  /// Its absolute path.
  let path: String

  /// Creates the folder in `$TMPDIR` or `/tmp`, accessible to this user only.
  ///
  /// - Throws: `noSpace` when it cannot be created.
  init() throws(InstallationError) {
    var base = TemporaryFolder.path
    // An engine started by root becomes another user, who cannot pass a folder closed to others.
    if geteuid() == 0, !Self.isPassable(base) { base = "/tmp" }
    // A socket path has at most 107 bytes; with a long $TMPDIR the folder goes into /tmp.
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

  /// Removes the folder if the engine has not done so.
  ///
  /// `fettled discard` removes the content as its owner: root must not walk through another user's
  /// tree.
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
