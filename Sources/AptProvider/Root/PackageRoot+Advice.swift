import HostSystem

/// Commands for the operator of a root, for the hints of errors.
extension PackageRoot {
  /// The command that refreshes the package index.
  var refreshAdvice: String {
    kind == .system
      ? "refresh the index with 'apt-get update'"
      : "refresh the index with 'fettle root update \(word)'"
  }

  /// The command that completes the work of an interrupted dpkg.
  var repairAdvice: String {
    kind == .system
      ? "complete its work with 'dpkg --configure -a'"
      : "complete its work with 'fettle root repair \(word)'"
  }

  /// Returns the commands that enable packages of another architecture.
  func enablingAdvice(for architecture: String) -> String {
    let dpkg = kind == .system ? "dpkg" : "dpkg --root=\(word)"
    return "enable it with '\(dpkg) --add-architecture \(architecture)', then \(refreshAdvice)"
  }

  /// The prefix of paths of files in the root, as seen from outside; empty for `/`.
  var prefix: String { kind == .system ? "" : path }

  /// Returns the command that removes packages whose scripts keep failing.
  static func removalAdvice(for names: [String]) -> String {
    let words =
      names.isEmpty
      ? "NAME"
      : names.map { Sanitised.line($0, limit: 100) }
        .joined(separator: " ")
    return "'fettle purge \(words)' takes \(names.count > 1 ? "them" : "it") away"
  }

  // The path in double quotes, because hints use single quotes; roots with a quote in the path are
  // refused.
  private var word: String {
    let isPlain = path.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || "/.,_-+=:@%".utf8.contains($0)
    }
    return isPlain ? path : "\"\(path.replacing("$", with: "\\$").replacing("`", with: "\\`"))\""
  }
}
