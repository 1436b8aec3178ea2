import HostSystem
internal import InstallJobs

/// Archives that lie on the machine, looked for by their names.
struct DownloadedArchives {
  private var paths: [String: [String]] = [:]
  private let digests: ArchiveDigests

  /// - Parameters:
  ///   - folders: Where archives lie.
  ///   - digests: The hashes of archives that were read before.
  init(in folders: [String], _ digests: ArchiveDigests) {
    self.digests = digests
    for folder in folders {
      for name in RootFiles.names(in: folder) where name.hasSuffix(".deb") {
        paths[name, default: []].append("\(folder)/\(name)")
      }
    }
  }

  /// Whether the archive of a record is there, with the size and the hash of the index (row U6).
  func has(_ record: PackageRecord) async -> Bool {
    let details = record.details
    guard record.fileName != nil, let hash = record.sha256 else { return false }
    // apt's names of files: an epoch's colon cannot stand in a name.
    let version = details.version.replacing(":", with: "%3a")
    let name = "\(details.name)_\(version)_\(details.architecture).deb"
    for path in paths[name] ?? [] {
      guard RootFiles.isFile(path), let trace = RootFiles.trace(path),
        trace.size == details.downloadSize
      else { continue }
      if await digests.sha256(of: path, trace) == hash { return true }
    }
    return false
  }
}
