import HostSystem

/// The incomplete packages in dpkg's status file.
struct IncompletePackages: Sendable, Hashable {
  /// Packages that are unpacked and not configured, as `NAME:ARCHITECTURE`.
  var unpacked: Set<String> = []
  /// Whether any package has pending or awaited triggers.
  var hasTriggers = false

  init(adminDirectory: String) {
    self.init(text: RootFiles.text(of: adminDirectory + "/status", limit: 1 << 28) ?? "")
  }

  init(text: String) {
    var name = ""
    var state = ""
    var line: Substring = ""
    var rest = text.utf8[...]
    func finish(_ architecture: Substring) {
      guard !name.isEmpty else { return }
      let package = "\(name):\(architecture)"
      switch state {
      case "unpacked": unpacked.insert(package)
      case "triggers-pending", "triggers-awaited": hasTriggers = true
      default: break
      }
    }
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
      // Most lines are descriptions; only lines with a matching first letter are converted to text.
      let first = rest.first
      if first == 0x50 || first == 0x53 || first == 0x41 {
        line = Substring(rest[..<end])
        if let value = line.after("Package: ") {
          (name, state) = (String(value), "")
        } else if let value = line.after("Status: ") {
          state = value.split(separator: " ").last.map(String.init) ?? ""
        } else if let value = line.after("Architecture: ") {
          finish(value)
        }
      }
      rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
    }
  }
}
