import HostSystem
internal import InstallJobs

/// Local archive files, found by name.
struct DownloadedArchives {
  private var paths: [String: [String]] = [:]
  private let digests: ArchiveDigests

  /// Lists the archives in folders.
  ///
  /// - Parameters:
  ///   - folders: The folders.
  ///   - digests: The cache of hashes.
  init(in folders: [String], _ digests: ArchiveDigests) {
    self.digests = digests
    for folder in folders {
      for name in RootFiles.names(in: folder) where name.hasSuffix(".deb") {
        paths[name, default: []].append("\(folder)/\(name)")
      }
    }
  }

  /// Whether the archive of a record is present, with the size and hash of the index (row U6).
  func has(_ record: PackageRecord) async -> Bool {
    let details = record.details
    guard record.fileName != nil, let hash = record.sha256 else { return false }
    // apt's file names: the colon of an epoch is written as `%3a`.
    let version = details.version.replacing(":", with: "%3a")
    let name = "\(details.name)_\(version)_\(details.architecture).deb"
    for path in paths[name] ?? [] {
      guard RootFiles.isFile(path), let trace = RootFiles.status(path),
        trace.size == details.downloadSize
      else { continue }
      if await digests.sha256(of: path, trace) == hash { return true }
    }
    return false
  }
}
