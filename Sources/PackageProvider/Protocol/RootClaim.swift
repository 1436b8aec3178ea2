import CProcess
import FoundationEssentials
import Glibc
import HostSystem
package import InstallJobs

/// An engine's exclusive claim on a package root.
///
/// Two engines on one root would not know each other's jobs. The claim is a flock(2) lock on a file
/// beside dpkg's locks, where every engine on that root finds it, whatever path the engine was
/// given. The kernel releases the lock when the engine ends. The file's content counts only while
/// the file is locked, so the file of a dead engine blocks nothing.
package final class RootClaim: Sendable {
  /// The content of the claim file.
  private struct Claimant: Codable {
    var engine: ProcessIdentity
    var stateFolder: String
  }

  private let file: Descriptor

  /// Number of attempts, and microseconds between them, while the lock is held but no living engine
  /// is named in the file: 5 s together.
  private static let (mostAttempts, pause): (Int, UInt32) = (250, 20_000)

  /// Claims a root for this process until this object is deallocated.
  ///
  /// - Parameters:
  ///   - path: The file that is locked, beside dpkg's locks.
  ///   - root: The root's path, for messages.
  ///   - stateFolder: This engine's state folder, shown to an engine that tries to claim the root
  ///     later.
  /// - Throws: `busy`, naming the engine that has the claim, after up to 5 s of waiting for
  ///   children of a killed engine; `badRoot` when the file cannot be written.
  package init(
    at path: String, of root: String, stateFolder: String
  ) throws(InstallationError) {
    var record = stat()
    // Mode 0600: every process that can open the file can lock it.
    guard
      let file = Descriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW),
      unsafe fstat(file.number, &record) == 0
    else { throw Self.unusable(root, unsafe String(cString: strerror(errno))) }
    guard record.st_mode & S_IFMT == S_IFREG, record.st_uid == geteuid(), record.st_nlink == 1
    else {
      throw Self.unusable(root, "\(path) is not a file of the engine's own")
    }
    // A child that a killed engine had just forked keeps the lock until it calls exec. No living
    // engine is named in the file during that time.
    var attempts = 0
    while file_lock(file.number, 0) != 0 {
      let reason = errno
      guard reason == EWOULDBLOCK || reason == EINTR else {
        throw Self.unusable(root, unsafe String(cString: strerror(reason)))
      }
      attempts += 1
      guard attempts < Self.mostAttempts, Self.claimant(at: path) == nil else {
        throw Self.claimedError(root, by: path)
      }
      usleep(Self.pause)
    }
    self.file = file
    guard let identity = ProcessIdentity(of: getpid()),
      let content = try? JSONEncoder().encode(
        Claimant(engine: identity, stateFolder: stateFolder)),
      ftruncate(file.number, 0) == 0,
      unsafe content.withUnsafeBytes({
        unsafe pwrite(file.number, $0.baseAddress, $0.count, 0)
      }) == content.count
    else { throw Self.unusable(root, unsafe String(cString: strerror(errno))) }
  }

  deinit {
    // Unlocks explicitly: a child between fork and exec may share the descriptor, and closing it
    // here would not release the lock.
    _ = flock(file.number, LOCK_UN)
  }

  /// Reads the process and the state folder of the engine that has the claim.
  ///
  /// Does not touch the lock, so that an engine that starts at the same time is not refused.
  ///
  /// - Parameter path: The file that is locked.
  /// - Returns: Nil when there is no claim, or when the file cannot be read.
  package static func holder(of path: String) -> (pid: Int32, stateFolder: String)? {
    claimant(at: path).map {
      ($0.engine.pid, Sanitised.line($0.stateFolder, limit: 200))
    }
  }

  private static func claimant(at path: String) -> Claimant? {
    let claimant =
      RootFiles.isFile(path)
      ? RootFiles.bytes(of: path, limit: 1 << 16).flatMap {
        try? JSONDecoder().decode(Claimant.self, from: Data($0))
      } : nil
    // The file may still hold the record of an earlier, dead engine.
    return claimant.flatMap { $0.engine.open() == nil ? nil : $0 }
  }

  private static func claimedError(_ root: String, by path: String) -> InstallationError {
    let who = claimant(at: path).map {
      " (pid \($0.engine.pid), state folder \(Sanitised.line($0.stateFolder, limit: 200)))"
    }
    return InstallationError(
      .busy, "cannot work on \(root): another engine\(who ?? "") works on it",
      hint: "use that engine, or stop it first")
  }

  private static func unusable(_ root: String, _ reason: String) -> InstallationError {
    InstallationError(
      .badRoot, "cannot claim the package root \(root): \(Sanitised.line(reason, limit: 300))",
      hint: "an engine changes packages: make the root writable, or name another one with --root")
  }
}
