internal import Glibc
import HostSystem
package import InstallJobs
import PackageProvider

extension PackageRoot {
  /// Returns the finding about a process's right to change packages in this root; see
  /// ``checkRights(euid:)``.
  ///
  /// - Parameters:
  ///   - euid: The effective user of that process.
  ///   - verdict: The verdict where it has no such right.
  /// - Returns: The finding.
  package func rightsFinding(
    euid: UInt32 = geteuid(), otherwise verdict: Checkup.Verdict = .attention
  ) -> Checkup.Finding {
    do throws(InstallationError) {
      try checkRights(euid: euid)
    } catch {
      return Checkup.Finding(.rights, verdict, error)
    }
    guard RootFiles.isWritable(adminDirectory) else {
      return Checkup.Finding(
        .rights, verdict, "the package database in \(path) belongs to another user",
        hint: kind == .privateRoot
          ? "ask as the user who owns the root" : "check the owner of \(adminDirectory)")
    }
    return Checkup.Finding(.rights, .sound, "packages in \(path) can be changed with these rights")
  }

  /// The finding about the kind of the root, and whether the root still exists.
  var kindFinding: Checkup.Finding {
    guard RootFiles.isFolder(adminDirectory) else {
      return Checkup.Finding(
        .root, .fault, "\(path) is not a package root any more: \(adminDirectory) is gone",
        hint: "bring it back as it was; nothing is changed until then")
    }
    let what =
      switch kind {
      case .system: "the machine itself"
      case .chroot: "a system tree of its own"
      case .privateRoot: "a private root"
      }
    return Checkup.Finding(.root, .sound, "\(path) is a sound package root: \(what)")
  }

  /// Returns the finding about the holder of the package lock.
  ///
  /// - Parameter work: The present work of the engine that asks.
  /// - Returns: The finding, which names the holder.
  func lockFinding(during work: PresentWork?) -> Checkup.Finding {
    if let work, let holder = work.holder {
      return Checkup.Finding(
        .lock, .attention,
        "held by \(holder.words); job \(work.job) \(work.waitsForLock ? "waits" : "will wait")",
        hint: "the job goes on by itself when that lock is free; never remove a lock file",
        holder: holder)
    }
    if let holder = lockHolder {
      let who = holder.words
      if let work {
        return Checkup.Finding(
          .lock, .sound, "job \(work.job) works: \(who) holds the package lock", holder: holder)
      }
      if let own = holder.workerJob, claimant == nil {
        return Checkup.Finding(
          .lock, .attention,
          "a worker of fettle's (pid \(holder.pid)) holds the package lock, for job \(own.number) of"
            + " \(own.state)",
          hint: "start the engine again with the same '--state \(own.state)': it follows the job to"
            + " its end",
          holder: holder)
      }
      return Checkup.Finding(
        .lock, .attention, "\(who) holds the package lock",
        hint: "jobs wait for it by themselves; let it end, and never remove a lock file",
        holder: holder)
    }
    // The kernel reports a lock only to a process that may read the file.
    if let hidden = unreadableLock {
      return Checkup.Finding(
        .lock, .unknown, "who holds the package lock cannot be seen: \(hidden) may not be read",
        hint: "ask an engine, or as the owner of the root")
    }
    return Checkup.Finding(.lock, .sound, "nobody holds the package lock")
  }

  /// Returns the finding about a pending restart of the root's machine.
  func restartFinding(_ marker: RebootMarker) -> Checkup.Finding {
    Checkup.Finding(restart: marker)
  }
}
