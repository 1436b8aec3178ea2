import HostSystem

/// A cache of hashes of local archive files, valid while a file is unchanged.
actor ArchiveDigests {
  private struct Known {
    let trace: RootFiles.Trace
    let hash: String
  }

  /// Maximum number of hashes.
  private static let most = 4096

  private var known: [String: Known] = [:]

  /// Returns the hash of a file, computing it where the cache has none.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - trace: The file's present size, times and identity.
  /// - Returns: The SHA-256 in lower-case hexadecimal; nil where the file cannot be read.
  func sha256(of path: String, _ trace: RootFiles.Trace) async -> String? {
    if let known = known[path], known.trace == trace { return known.hash }
    guard let hash = try? await FileDigest.sha256(of: path) else { return nil }
    if known.count >= Self.most { known = [:] }
    // The hash of a file that changed while it was read is not stored.
    if RootFiles.status(path) == trace { known[path] = Known(trace: trace, hash: hash) }
    return hash
  }
}
