internal import Glibc
package import InstallJobs

extension PackageRoot {
  /// Whether a process with these rights may change packages in this root; see
  /// ``checkRights(euid:)``.
  ///
  /// - Parameters:
  ///   - euid: The effective user of the process that would act.
  ///   - verdict: What it comes to where it may not.
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
        .rights, verdict, "the package database in \(path) belongs to somebody else",
        hint: kind == .privateRoot
          ? "ask as the user who owns the root" : "check the owner of \(adminDirectory)")
    }
    return Checkup.Finding(.rights, .sound, "packages in \(path) can be changed with these rights")
  }

  /// What kind of root it is, if it is still there.
  var kindFinding: Checkup.Finding {
    guard RootFiles.isFolder(adminDirectory) else {
      return Checkup.Finding(
        .root, .fault, "\(path) is no package root any more: \(adminDirectory) is gone",
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

  /// Who holds the package lock.
  ///
  /// - Parameter work: What the asking engine is at work on.
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
      if let own = holder.ownJob, RootClaim.claimant(of: self) == nil {
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
    // Only whoever may read a lock can ask the kernel about it.
    if let hidden = hiddenLock {
      return Checkup.Finding(
        .lock, .unknown, "who holds the package lock cannot be seen: \(hidden) may not be read",
        hint: "ask an engine, or as the owner of the root")
    }
    return Checkup.Finding(.lock, .sound, "nobody holds the package lock")
  }

  /// Whether the root's machine waits for a restart.
  func restartFinding(_ marker: RebootMarker) -> Checkup.Finding {
    Checkup.Finding(restart: marker)
  }
}

extension Checkup.Finding {
  /// Whether the machine waits for a restart, and for which packages.
  init(restart marker: RebootMarker) {
    guard marker.isSet else {
      self.init(.restart, .sound, "no restart is needed")
      return
    }
    let names = marker.packages.isEmpty ? "" : " for \(marker.packages.joined(separator: ", "))"
    self.init(
      .restart, .attention, "a restart of the machine is needed\(names)",
      hint: "restart it when that suits; jobs go on until then unless the engine's settings say no")
  }

  /// Below this nothing can be counted on: dpkg writes its database anew, the engine its journal.
  private static let leastSpace: Int64 = 16 << 20
  /// Below this an ordinary job may well not fit.
  private static let littleSpace: Int64 = 256 << 20

  /// The room on the file system of a folder, or of the nearest one above it that there is.
  ///
  /// - Parameters:
  ///   - folder: An absolute path.
  ///   - purpose: What the room is for.
  /// - Returns: The finding.
  package static func space(at folder: String, for purpose: String) -> Checkup.Finding {
    var place = folder
    while !RootFiles.isFolder(place), let slash = place.lastIndex(of: "/"), place != "/" {
      place = slash == place.startIndex ? "/" : String(place[..<slash])
    }
    let shown = Sanitised.line(folder, limit: 200)
    var record = statvfs()
    guard unsafe statvfs(place, &record) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      return Checkup.Finding(
        .space, .unknown, "the room for \(purpose) in \(shown) cannot be told: \(reason)")
    }
    if record.f_flag & UInt(ST_RDONLY) != 0 {
      return Checkup.Finding(
        .space, .fault, "the file system of \(shown), for \(purpose), is read-only",
        hint: "see the kernel's log for the reason, then mount it for writing")
    }
    return space(
      bytes: Int64(clamping: UInt64(record.f_bavail) &* UInt64(record.f_frsize)),
      files: record.f_files == 0 ? nil : UInt64(record.f_favail), at: shown, for: purpose)
  }

  /// What so much room comes to.
  ///
  /// - Parameters:
  ///   - bytes: Free bytes for an ordinary user.
  ///   - files: How many files can be made; nil where the file system does not count them.
  ///   - folder: The folder, to be named.
  ///   - purpose: What the room is for.
  /// - Returns: The finding.
  package static func space(
    bytes: Int64, files: UInt64?, at folder: String, for purpose: String
  ) -> Checkup.Finding {
    let hint =
      "free some space: 'fettle cleanup --finished' removes what jobs that are over have left, and on"
      + " the machine itself 'apt-get clean' the archives of apt"
    let message = "\(bytes >> 20) MiB are free for \(purpose) in \(folder)"
    if let files, files < 1000 {
      return Checkup.Finding(
        .space, files < 100 ? .fault : .attention,
        "only \(files) more files can be made for \(purpose) in \(folder)", hint: hint)
    }
    if bytes < leastSpace { return Checkup.Finding(.space, .fault, "only " + message, hint: hint) }
    if bytes < littleSpace {
      return Checkup.Finding(.space, .attention, "only " + message, hint: hint)
    }
    return Checkup.Finding(.space, .sound, message)
  }
}

/// statvfs(3)'s flag for a file system that is mounted read-only.
private let ST_RDONLY = 1
