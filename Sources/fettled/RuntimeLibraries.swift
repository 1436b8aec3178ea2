import Glibc
import HostSystem

/// The shared libraries that this program runs on.
///
/// A toolchain below a closed home folder can be read by root but not by the user that a throwaway
/// engine becomes, so that the worker, a new start of the same program, would not load.
enum RuntimeLibraries: Sendable {
  /// Copies those libraries that only this user can read to `folder` and has later starts of the
  /// program look there first; does nothing when everybody can read them all.
  ///
  /// - Parameters:
  ///   - folder: An absolute path; made if needed.
  ///   - uid: Who will own the copies.
  static func keepReadable(in folder: String, for uid: uid_t) {
    let closed = OpenFile.loadedLibraries.filter { !OpenFile.isOpen($0) }
    guard !closed.isEmpty else { return }
    unsafe mkdir(folder, 0o755)
    unsafe chown(folder, uid, uid)
    for path in closed {
      let name = path.split(separator: "/").last.map(String.init) ?? path
      // The loader of the next start names a library that is missing.
      _ = OpenFile.copy(path, to: "\(folder)/\(name)")
    }
    unsafe setenv("LD_LIBRARY_PATH", folder, 1)
  }
}
