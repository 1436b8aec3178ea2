import Glibc
import HostSystem

/// The shared libraries that this program has loaded.
///
/// Root can read a toolchain below a closed home folder, but the user that a throwaway engine
/// becomes cannot. The worker, a new process of the same program, would fail to load there.
enum RuntimeLibraries: Sendable {
  /// Copies the libraries that not every user can read to `folder`, and adds `folder` to the
  /// library path of child processes.
  ///
  /// Does nothing when every user can read all libraries.
  ///
  /// - Parameters:
  ///   - folder: An absolute path; created if needed.
  ///   - uid: The owner of the folder.
  static func keepReadable(in folder: String, for uid: uid_t) {
    let closed = OpenFile.loadedLibraries.filter { !OpenFile.isOpen($0) }
    guard !closed.isEmpty else { return }
    unsafe mkdir(folder, 0o755)
    unsafe chown(folder, uid, uid)
    for path in closed {
      let name = path.split(separator: "/").last.map(String.init) ?? path
      // If a copy fails, the loader of the child process reports the missing library.
      _ = RootFiles.copy(path, to: "\(folder)/\(name)", mode: 0o755, isNew: true)
    }
    unsafe setenv("LD_LIBRARY_PATH", folder, 1)
  }
}
