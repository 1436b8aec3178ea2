import HostSystem

/// Hashes of archives that lie on the machine, each computed once for as long as the file stays as it is.
actor ArchiveDigests {
  private struct Known {
    let trace: RootFiles.Trace
    let hash: String
  }

  /// The most hashes that are kept.
  private static let most = 4096

  private var known: [String: Known] = [:]

  /// Computes the hash of a file where it is not known.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - trace: The file as it is now.
  /// - Returns: The SHA-256 in lower-case hexadecimal; nil where the file cannot be read.
  func sha256(of path: String, _ trace: RootFiles.Trace) async -> String? {
    if let known = known[path], known.trace == trace { return known.hash }
    guard let hash = try? await FileDigest.sha256(of: path) else { return nil }
    if known.count >= Self.most { known = [:] }
    // What was changed while it was read is read again the next time.
    if RootFiles.trace(path) == trace { known[path] = Known(trace: trace, hash: hash) }
    return hash
  }
}
