internal import Glibc
internal import InstallJobs
package import PackageProvider

// The check of a download-only job's archives.
extension AptProvider {
  /// Checks the archives of a job; see ``PackageProvider/checkArchives(of:)``.
  ///
  /// apt has checked the archives that it fetched. Reading the files again makes the result
  /// independent of later changes in the folder.
  package func checkArchives(of work: JobWork) async -> [Int: ArchiveFinding] {
    let kept = KeptArchives(folder: work.folder).names
    let errors = Complaints(inAllOf: work.folder).downloadErrors()
    var findings: [Int: ArchiveFinding] = [:]
    for (step, archive) in work.plan.archives {
      switch await archive.check(in: work.folder.path(.archives)) {
      case true?: findings[step] = kept.contains(archive.fileName[...]) ? .kept : .present
      case nil:
        let file = archive.uri.split(separator: "/").last.map(String.init) ?? ""
        findings[step] = .absent(errors[file])
      case false?:
        let name = work.plan.steps[step].name
        findings[step] = .damaged(
          InstallationError(
            .hashMismatch, "the archive of \(name) is not what the index names", update: name,
            hint: "clean the job up and fetch it again"))
      }
    }
    return findings
  }
}

extension PlannedArchive {
  /// Whether the archive's file in a folder has the size and hash of the index; nil when the file
  /// is missing.
  ///
  /// Without a SHA-256 in the index only the size is compared; apt checked the content when it
  /// fetched the file.
  fileprivate func check(in folder: String) async -> Bool? {
    let path = "\(folder)/\(fileName)"
    var record = stat()
    guard !fileName.contains("/"), unsafe lstat(path, &record) == 0 else { return nil }
    guard record.st_mode & S_IFMT == S_IFREG, Int64(record.st_size) == size else { return false }
    guard hash?.hasPrefix("SHA256:") == true else { return true }
    return await isContent(of: path)
  }
}
