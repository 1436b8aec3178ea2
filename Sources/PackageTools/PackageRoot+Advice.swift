/// What an operator can do about a root by hand, for the hints of errors.
extension PackageRoot {
  /// How the package index is fetched anew.
  var refreshAdvice: String {
    kind == .system
      ? "refresh the index with 'apt-get update'"
      : "refresh the index with 'fettle root update \(Self.word(path))'"
  }

  /// How what an interrupted or failed dpkg left is completed.
  var mendingAdvice: String {
    let options = dpkgOptions.map { Self.word($0) + " " }.joined()
    return "configure what is left with 'dpkg \(options)--configure -a'"
  }

  // In double quotes, for hints stand in single ones; a path with a quote is refused as a root.
  private static func word(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || "/.,_-+=:@%".utf8.contains($0)
    }
    return isPlain ? text : "\"\(text.replacing("$", with: "\\$").replacing("`", with: "\\`"))\""
  }
}
