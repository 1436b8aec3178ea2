internal import Glibc
internal import HostSystem
internal import Synchronization

/// The programs that were built beside this one, where every user can start them.
///
/// Root tests and measures with programs that run as another user, who cannot pass the closed home
/// folder that a clone may lie in. Such programs are copied, once for each process, to a folder that
/// everybody can read and only root can write. The folder is removed when this process exits.
package enum NeighbourPrograms: Sendable {
  /// The folder of this program, without symbolic links.
  package static let folder: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(
      decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }()

  /// The path of a program, which need not exist: the one that was built, or a copy of it.
  package static func path(_ name: String) -> String {
    let built = folder + "/" + name
    guard geteuid() == 0, !OpenFile.isOpen(built, isProgram: true), unsafe access(built, X_OK) == 0
    else {
      return built
    }
    return copies.withLock { $0.path(of: name) } ?? built
  }

  private static let copies = Mutex(ProgramCopies())

  /// Removes the copies; called when the process exits.
  static func removeCopies() { copies.withLock { $0.remove() } }
}
