import Glibc
import HostSystem
import InstallJobs
import PackageProvider

/// Archives that other jobs have fetched and still keep.
///
/// Jobs keep their archives until they are cleaned up, because only the archive repairs a package
/// whose unpacking was interrupted (measurement E16). Each job uses the kept archives of earlier
/// downloads and of the job that it retries. So a repair needs no source that answers.
struct KeptArchives: Sendable {
  /// The folder of the job that receives the archives.
  let folder: JobFolder

  /// Links the plan's archives that other jobs have into the job's own archive folder.
  ///
  /// Links only complete files with the hash of the index. Of stopped jobs it also copies
  /// incomplete downloads, which apt resumes and checks. Missing archives are fetched as usual.
  ///
  /// - Parameters:
  ///   - plan: The job's plan.
  ///   - steps: Steps whose archives are left out.
  func reuse(_ plan: JobPlan, leavingOut steps: Set<Int> = []) async {
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
        // A hard link: cleaning up one job leaves the file of the other job.
        guard unsafe link(path(other, archive), path(folder, archive)) == 0 else { continue }
        _ = folder.append(line: archive.fileName, to: .kept)
        break
      }
    }
    wanted.removeAll(where: isThere)
    guard !wanted.isEmpty else { return }
    for other in others where other.hasStopped { copyPartialDownloads(of: wanted, from: other) }
  }

  /// The names of the archives that were received from other jobs.
  var names: Set<Substring> { Set(folder.text(of: .kept).split(separator: "\n")) }

  private func isThere(_ archive: PlannedArchive) -> Bool {
    RootFiles.status(path(folder, archive))?.size == archive.size
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

  /// Copies incomplete downloads with their time stamps.
  ///
  /// From the time stamp the source knows whether it still has the same file.
  private func copyPartialDownloads(of archives: [PlannedArchive], from other: JobFolder) {
    let (theirs, own) = (other.path(.archives) + "/partial", folder.path(.archives) + "/partial")
    let names = Set(RootFiles.names(in: theirs))
    guard !names.isEmpty, let from = RootFiles.status(theirs), let to = RootFiles.status(own) else {
      return
    }
    for archive in archives where names.contains(archive.fileName) {
      let target = "\(own)/\(archive.fileName)"
      var record = stat()
      // The fetching user owns that folder, so only regular files of that user are copied.
      guard let file = Descriptor(opening: "\(theirs)/\(archive.fileName)", O_RDONLY | O_NOFOLLOW),
        unsafe fstat(file.number, &record) == 0, record.st_mode & S_IFMT == S_IFREG,
        record.st_uid == from.owner, record.st_nlink == 1, record.st_size > 0,
        record.st_size < archive.size, !RootFiles.linkExists(target),
        let copy = Descriptor(opening: target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
      else { continue }
      let times = [record.st_atim, record.st_mtim]
      guard to.owner == geteuid() || fchown(copy.number, to.owner, gid_t.max) == 0,
        file.send(to: copy, count: Int(record.st_size)),
        unsafe futimens(copy.number, times) == 0
      else {
        unsafe unlink(target)
        continue
      }
    }
  }
}

extension PlannedArchive {
  /// Whether a file has the hash that the index names; false where it cannot be read or the index
  /// has no SHA-256.
  func isContent(of path: String) async -> Bool {
    guard let hash, hash.hasPrefix("SHA256:") else { return false }
    return (try? await FileDigest.sha256(of: path)) == String(hash.dropFirst(7))
  }
}

extension JobFolder {
  /// Whether the job's work stopped on request, so that no process writes there.
  fileprivate var hasStopped: Bool {
    value(WorkEnd.self, of: .exit)?.stoppedAtBoundary ?? false
  }
}
