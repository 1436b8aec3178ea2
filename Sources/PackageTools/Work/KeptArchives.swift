import Glibc
import InstallJobs

/// Archives that other jobs have fetched and still keep.
///
/// What was cut off in its unpacking heals only by its archive (measurement E16), which is why jobs
/// keep theirs until clean up. A repair takes it from there, so that it needs no source that answers;
/// the retry of a job takes what that one has fetched already.
struct KeptArchives: Sendable {
  /// The job that is to have them.
  let folder: JobFolder

  /// Puts what the plan fetches, and another job has, into the job's own archive folder.
  ///
  /// Only whole files with the hash that the index names; whatever is missing is fetched as ever.
  func lend(_ plan: JobPlan) async {
    guard let end = folder.path.lastIndex(of: "/") else { return }
    let jobs = String(folder.path[..<end])
    let wanted = plan.archives.values.filter { !$0.fileName.contains("/") }
    guard !wanted.isEmpty else { return }
    let others = RootFiles.names(in: jobs).map { JobFolder(path: "\(jobs)/\($0)") }
      .filter { $0 != folder }
    for archive in wanted {
      for other in others where await has(other, archive) {
        // A second name of the same file: cleaning up the one leaves the other whole.
        let (from, to) = (path(other, archive), path(folder, archive))
        if unsafe link(from, to) == 0 || errno == EEXIST { break }
      }
    }
  }

  private func has(_ folder: JobFolder, _ archive: PlannedArchive) async -> Bool {
    let path = path(folder, archive)
    var record = stat()
    guard unsafe lstat(path, &record) == 0, record.st_mode & S_IFMT == S_IFREG,
      record.st_uid == geteuid(), Int64(record.st_size) == archive.size,
      let digits = archive.hash?.dropPrefix("SHA256:")
    else { return false }
    // One that cannot be checked is fetched anew.
    return (try? await FileDigest.sha256(of: path)) == digits
  }

  private func path(_ folder: JobFolder, _ archive: PlannedArchive) -> String {
    folder.path(.archives) + "/" + archive.fileName
  }
}

extension String {
  fileprivate func dropPrefix(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
