import FoundationEssentials
import Glibc
import InstallJobs

/// A folder of its own for one `fettle try`, removed with everything in it.
struct ThrowawayFolder {
  /// Its absolute path.
  let path: String

  /// Makes the folder, for this user alone, in `$TMPDIR` or `/tmp`.
  ///
  /// - Throws: `noSpace` when it cannot be made.
  init() throws(InstallationError) {
    let base = ProcessEnvironment.all["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
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

  /// Removes the folder where the engine has not done so; links are removed, not followed.
  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
