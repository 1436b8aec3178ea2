import Glibc
import HostSystem
import InstallJobs
import PackageProvider

/// Archives that other jobs have fetched and still keep.
///
/// What was cut off in its unpacking heals only by its archive (measurement E16), which is why jobs
/// keep theirs until clean up. Every job takes from there what it would fetch: what a download has
/// brought, what the job had that is retried, and for a repair, so that it needs no source that answers.
struct KeptArchives: Sendable {
  /// The job that is to have them.
  let folder: JobFolder

  /// Puts what the plan fetches, and another job has, into the job's own archive folder.
  ///
  /// Only whole files with the hash that the index names, and the beginnings of archives that stopped
  /// work has left, which apt goes on from and checks; whatever is missing is fetched as ever.
  ///
  /// - Parameters:
  ///   - plan: The job's plan.
  ///   - steps: Steps whose archives are not wanted.
  func lend(_ plan: JobPlan, leavingOut steps: Set<Int> = []) async {
    var wanted = plan.archives.filter { step, archive in
      !steps.contains(step) && !archive.fileName.contains("/") && !isThere(archive)
    }.values.map(\.self)
    guard !wanted.isEmpty, let end = folder.path.lastIndex(of: "/") else { return }
    let jobs = String(folder.path[..<end])
    let others = JobFolder.all(in: jobs).filter { $0 != folder }
    let names = Set(wanted.map(\.fileName))
    var owners: [String: [JobFolder]] = [:]
    for other in others {
      for name in RootFiles.names(in: other.path(.archives)) where names.contains(name) {
        owners[name, default: []].append(other)
      }
    }
    for archive in wanted {
      for other in owners[archive.fileName] ?? [] where await has(other, archive) {
        // A second name of the same file: cleaning up the one leaves the other whole.
        guard unsafe link(path(other, archive), path(folder, archive)) == 0 else { continue }
        _ = folder.append(line: archive.fileName, to: .kept)
        break
      }
    }
    wanted.removeAll(where: isThere)
    guard !wanted.isEmpty else { return }
    for other in others where other.hasStopped { lendParts(of: wanted, from: other) }
  }

  /// The names of the archives that were taken from other jobs.
  var names: Set<Substring> { Set(folder.text(of: .kept).split(separator: "\n")) }

  private func isThere(_ archive: PlannedArchive) -> Bool {
    RootFiles.trace(path(folder, archive))?.size == archive.size
  }

  private func has(_ folder: JobFolder, _ archive: PlannedArchive) async -> Bool {
    let path = path(folder, archive)
    var record = stat()
    guard unsafe lstat(path, &record) == 0, record.st_mode & S_IFMT == S_IFREG,
      record.st_uid == geteuid(), Int64(record.st_size) == archive.size
    else { return false }
    return await archive.isContent(of: path)
  }

  private func path(_ folder: JobFolder, _ archive: PlannedArchive) -> String {
    folder.path(.archives) + "/" + archive.fileName
  }

  /// Copies the beginnings of archives, with the times by which the source knows whether it still has that
  /// file.
  private func lendParts(of archives: [PlannedArchive], from other: JobFolder) {
    let (theirs, own) = (other.path(.archives) + "/partial", folder.path(.archives) + "/partial")
    let names = Set(RootFiles.names(in: theirs))
    guard !names.isEmpty, let from = RootFiles.trace(theirs), let to = RootFiles.trace(own) else {
      return
    }
    for archive in archives where names.contains(archive.fileName) {
      let target = "\(own)/\(archive.fileName)"
      let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
      var record = stat()
      // Whoever fetches owns that folder: only what is that user's own is read for it.
      guard let file = Descriptor(unsafe open("\(theirs)/\(archive.fileName)", flags)),
        unsafe fstat(file.number, &record) == 0, record.st_mode & S_IFMT == S_IFREG,
        record.st_uid == from.owner, record.st_nlink == 1, record.st_size > 0,
        record.st_size < archive.size, !RootFiles.linkExists(target),
        let copy = Descriptor(
          unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
      else { continue }
      let times = [record.st_atim, record.st_mtim]
      guard to.owner == geteuid() || fchown(copy.number, to.owner, gid_t.max) == 0,
        RootFiles.send(file, to: copy, count: Int(record.st_size)),
        unsafe futimens(copy.number, times) == 0
      else {
        unsafe unlink(target)
        continue
      }
    }
  }
}

extension PlannedArchive {
  /// Whether a file has the hash that the index names; false where it cannot be read, or none is named.
  func isContent(of path: String) async -> Bool {
    guard let hash, hash.hasPrefix("SHA256:") else { return false }
    return (try? await FileDigest.sha256(of: path)) == String(hash.dropFirst(7))
  }
}

extension JobFolder {
  /// Whether its work has stopped because that was asked for, so that nothing writes there.
  fileprivate var hasStopped: Bool {
    value(WorkEnd.self, of: .exit)?.stoppedAtBoundary ?? false
  }
}
