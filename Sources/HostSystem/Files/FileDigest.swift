package import InstallJobs

/// Hashes of files, computed by `sha256sum`.
package enum FileDigest {
  /// Returns the SHA-256 of a file in lower-case hexadecimal.
  ///
  /// - Throws: As ``Tool/run(_:environment:to:limits:)`` within ``Tool/Limits/readingArchive``;
  ///   `internal` when the file cannot be read.
  package static func sha256(of path: String) async throws(InstallationError) -> String {
    let tool = "/usr/bin/sha256sum"
    let run = try await Tool(tool).run(
      ["-b", "--", path], environment: [:], to: "hash an archive", limits: .readingArchive)
    // A leading backslash marks a file name with escaped characters; the digits follow it.
    let digits = run.output.drop { $0 == "\\" }.prefix(64)
    guard run.status == 0, digits.count == 64 else {
      let words = run.errors.split(separator: "\n").first.map { Sanitised.line($0) }
      throw InstallationError(
        .internal, "cannot hash an archive: \(words ?? "\(tool) ends with \(run.status)")",
        class: .transient)
    }
    return String(digits)
  }
}
