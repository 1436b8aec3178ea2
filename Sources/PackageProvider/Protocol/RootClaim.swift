import CProcess
import FoundationEssentials
import Glibc
import HostSystem
package import InstallJobs

/// An engine's claim on a package root: two engines on one root, each with a queue of its own, would
/// not know of each other's jobs.
///
/// The claim is a lock (flock(2)) on a file beside dpkg's own locks, where every engine on that root
/// finds it, by whatever path it came. The kernel lets go of it with the engine, however that ends;
/// what the file says counts only while it is locked, so nothing of a dead engine is in the way.
package final class RootClaim: Sendable {
  /// Who has the claim, as it stands in the file.
  private struct Claimant: Codable {
    var engine: ProcessIdentity
    var stateFolder: String
  }

  private let file: Descriptor

  /// How often, and after how many microseconds, a claim without a claimant is tried again: 5 s.
  private static let (mostAttempts, pause): (Int, UInt32) = (250, 20_000)

  /// Claims a root for this process until the claim is dropped.
  ///
  /// - Parameters:
  ///   - path: The file that is locked, beside dpkg's own locks.
  ///   - root: The root's path, for messages.
  ///   - stateFolder: Where this engine keeps its journal, for whoever comes second.
  /// - Throws: `busy`, naming the engine that is there; where one was killed, it is waited for a few
  ///   seconds that all of it is gone. `badRoot` when nothing can be written there.
  package init(
    at path: String, of root: String, stateFolder: String
  ) throws(InstallationError) {
    var record = stat()
    // For its owner only: whoever can open a file can lock it.
    guard
      let file = Descriptor(
        unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)),
      unsafe fstat(file.number, &record) == 0
    else { throw Self.unusable(root, unsafe String(cString: strerror(errno))) }
    guard record.st_mode & S_IFMT == S_IFREG, record.st_uid == geteuid(), record.st_nlink == 1
    else {
      throw Self.unusable(root, "\(path) is not a file of the engine's own")
    }
    // What an engine that was killed had just begun has its files for a moment, until it is a program
    // of its own: then nobody who could be named is there.
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
    // A child between fork and exec has the descriptor, too: closing alone would not let go.
    _ = flock(file.number, LOCK_UN)
  }

  /// The engine that has a claim, without asking it: its process and its state folder.
  ///
  /// The lock is not touched, so that an engine that starts at this moment is not refused.
  ///
  /// - Parameter path: The file that is locked.
  /// - Returns: Nil when there is none, or when the claim may not be read.
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
    // The first may not have written yet what the one before it has left.
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
