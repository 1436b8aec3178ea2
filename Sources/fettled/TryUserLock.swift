import CProcess
import Glibc
import HostSystem
import InstallJobs
import Synchronization

/// What a trial's engine holds while it lives: its user id, in a file that root alone can open.
///
/// The engine takes it while it is root. A package script has the engine's user id and no way to the
/// file, so it cannot pass for an engine. The file has a byte for each id. The engines of one id share
/// it, and the last of them has it alone.
enum TryUserLock: Sendable {
  private static let path = "/run/fettle-try.lock"
  /// How often, and after how many microseconds, an id is tried again whose last engine is ending: 5 s.
  private static let (mostLooks, pause): (Int, UInt32) = (250, 20_000)
  private static let descriptor = Mutex<Int32?>(nil)

  /// Takes an id for this process until it ends; root only.
  ///
  /// - Parameters:
  ///   - uid: The id.
  ///   - isNew: Whether no other engine may have it.
  /// - Throws: `busy` where another engine has it; `notPermitted` where the file cannot be used.
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

  /// Whether this process has an id that no other engine has; none can get it from then on until this
  /// process ends.
  static func isAlone(as uid: uid_t) -> Bool {
    descriptor.withLock { file in file.map { byte_lock($0, off_t(uid), 1) == 0 } ?? false }
  }

  private static func unusable(_ reason: String) -> InstallationError {
    InstallationError(
      .notPermitted, "cannot use \(path): \(reason)", class: .fatal,
      hint: "put that right, or run 'fettle try' as an ordinary user")
  }
}
