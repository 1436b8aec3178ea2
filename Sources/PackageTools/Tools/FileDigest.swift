/// Hashes of files, by the machine's own tool.
package enum FileDigest {
  /// The SHA-256 of a file in lower-case hexadecimal; nil when it cannot be read, or not within the
  /// limit of ``Tool/Limits/readingArchive``.
  package static func sha256(of path: String) async -> String? {
    let run = try? await Tool("/usr/bin/sha256sum").run(
      ["-b", "--", path], environment: [:], to: "hash an archive", limits: .readingArchive)
    guard let run, run.status == 0 else { return nil }
    // A backslash in front marks a name with escaped characters; the digits follow it.
    let digits = run.output.drop { $0 == "\\" }.prefix(64)
    return digits.count == 64 ? String(digits) : nil
  }
}
