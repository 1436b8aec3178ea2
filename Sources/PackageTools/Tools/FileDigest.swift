import Subprocess
import SystemPackage

/// Hashes of files, by the machine's own tool.
package enum FileDigest {
  /// The SHA-256 of a file in lower-case hexadecimal; nil when it cannot be read.
  package static func sha256(of path: String) async -> String? {
    let result = try? await run(
      .path("/usr/bin/sha256sum"), arguments: ["-b", "--", path], environment: .custom([:]),
      output: .string(limit: 8192))
    guard let result, result.terminationStatus.isSuccess else { return nil }
    let text = result.standardOutput
    // A backslash in front marks a name with escaped characters; the digits follow it.
    let digits = text.drop { $0 == "\\" }.prefix(64)
    return digits.count == 64 ? String(digits) : nil
  }
}
