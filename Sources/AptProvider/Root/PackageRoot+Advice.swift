import HostSystem

/// What an operator can do about a root by hand, for the hints of errors.
extension PackageRoot {
  /// How the package index is fetched anew.
  var refreshAdvice: String {
    kind == .system
      ? "refresh the index with 'apt-get update'"
      : "refresh the index with 'fettle root update \(word)'"
  }

  /// How what an interrupted dpkg left is completed.
  var mendingAdvice: String {
    kind == .system
      ? "complete its work with 'dpkg --configure -a'"
      : "complete its work with 'fettle root repair \(word)'"
  }

  /// How packages of another architecture are let in.
  func enablingAdvice(for architecture: String) -> String {
    let dpkg = kind == .system ? "dpkg" : "dpkg --root=\(word)"
    return "enable it with '\(dpkg) --add-architecture \(architecture)', then \(refreshAdvice)"
  }

  /// What stands before the path of a file in the root; empty where that is the whole path.
  var prefix: String { kind == .system ? "" : path }

  /// How packages are taken away whose scripts cannot be brought to succeed.
  static func removalAdvice(for names: [String]) -> String {
    let words =
      names.isEmpty
      ? "NAME"
      : names.map { Sanitised.line($0, limit: 100) }
        .joined(separator: " ")
    return "'fettle purge \(words)' takes \(names.count > 1 ? "them" : "it") away"
  }

  // In double quotes, for hints stand in single ones; a path with a quote is refused as a root.
  private var word: String {
    let isPlain = path.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || "/.,_-+=:@%".utf8.contains($0)
    }
    return isPlain ? path : "\"\(path.replacing("$", with: "\\$").replacing("`", with: "\\`"))\""
  }
}
