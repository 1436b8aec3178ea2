import HostSystem

/// The fields of a root's `os-release` file (os-release(5)).
struct OSRelease: Sendable {
  private var fields: [String: String] = [:]

  /// Reads the file of a root's operating system; for a private root, the host's file.
  ///
  /// A missing file has no fields.
  init(of root: PackageRoot) {
    let text = ["etc/os-release", "usr/lib/os-release"].lazy.compactMap { file in
      RootFiles.text(of: root.kind == .privateRoot ? "/" + file : root.path(file), limit: 64 << 10)
    }.first
    self.init(parsing: text ?? "")
  }

  /// Parses a file's text: shell assignments, without expansion.
  init(parsing text: String) {
    for line in text.split(separator: "\n") where line.first != "#" {
      guard let equals = line.firstIndex(of: "=") else { continue }
      var value = line[line.index(after: equals)...]
      if let quote = value.first, quote == "\"" || quote == "'", value.count > 1,
        value.last == quote
      {
        value = value.dropFirst().dropLast()
      }
      var plain = ""
      var isEscaped = false
      for character in value {
        if character == "\\", !isEscaped {
          isEscaped = true
        } else {
          plain.append(character)
          isEscaped = false
        }
      }
      fields[String(line[..<equals])] = Sanitised.line(plain)
    }
  }

  /// The value of a field; nil where it is missing or empty.
  subscript(_ name: String) -> String? {
    guard let value = fields[name], !value.isEmpty else { return nil }
    return value
  }
}
