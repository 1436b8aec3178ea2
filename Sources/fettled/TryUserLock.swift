import CProcess
import Glibc
import HostSystem
import InstallJobs
import Synchronization

/// The lock on a try's user id, held by its engine until the engine exits.
///
/// The lock is one byte for each id in a file that only root can open. The engine acquires it while
/// it runs as root. A package script has the engine's user id but cannot open the file, so it
/// cannot pose as an engine. Engines with one id share the lock; only the last of them can make it
/// exclusive.
enum TryUserLock: Sendable {
  private static let path = "/run/fettle-try.lock"
  /// Number of attempts, and the pause between them in microseconds, while the last engine of an id
  /// is exiting: 5 s in all.
  private static let (mostLooks, pause): (Int, UInt32) = (250, 20_000)
  private static let descriptor = Mutex<Int32?>(nil)

  /// Acquires an id for this process until it exits; root only.
  ///
  /// - Parameters:
  ///   - uid: The id.
  ///   - isNew: Whether the id must have no other engine.
  /// - Throws: `busy` when another engine has the id; `notPermitted` when the file cannot be used.
  static func acquire(_ uid: uid_t, isNew: Bool) throws(InstallationError) {
    do throws(UntrustedPath) {
      try TrustedPath.requireForRoot(path)
    } catch {
      throw unusable("\(error)")
    }
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let file = unsafe open(path, flags, 0o600)
    var record = stat()
    guard file >= 0, unsafe fstat(file, &record) == 0 else {
      throw unusable(unsafe String(cString: strerror(errno)))
    }
    guard record.st_mode & S_IFMT == S_IFREG, record.st_uid == 0, record.st_mode & 0o077 == 0 else {
      close(file)
      throw unusable("it is not a file of root's alone")
    }
    var looks = 0
    while byte_lock(file, off_t(uid), isNew ? 1 : 0) != 0 {
      looks += 1
      guard looks < mostLooks, !isNew else {
        close(file)
        throw InstallationError(
          .busy, "another engine has the user id \(uid)", class: .transient, hint: "try again")
      }
      usleep(pause)
    }
    _ = byte_lock(file, off_t(uid), 0)
    descriptor.withLock { $0 = file }
  }

  /// Returns whether no other engine has this process's id, and then keeps other engines from
  /// acquiring it until this process exits.
  static func isAlone(as uid: uid_t) -> Bool {
    descriptor.withLock { file in file.map { byte_lock($0, off_t(uid), 1) == 0 } ?? false }
  }

  private static func unusable(_ reason: String) -> InstallationError {
    InstallationError(
      .notPermitted, "cannot use \(path): \(reason)", class: .fatal,
      hint: "put that right, or run 'fettle try' as an ordinary user")
  }
}
