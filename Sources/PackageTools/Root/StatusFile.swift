/// dpkg's status file as a list of stanzas (deb822(5)), for what only looks at a changed copy of it.
struct StatusFile: Sendable {
  /// One package's stanza: its lines as they stand.
  struct Stanza: Sendable, Hashable {
    fileprivate(set) var lines: [Substring]

    /// The value of a field on one line; nil where the stanza has none.
    subscript(_ field: String) -> String? {
      let prefix = field + ": "
      return lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// Puts a field in the place of what it was, or behind the package's name.
    mutating func set(_ field: String, _ value: String) {
      let line = Substring("\(field): \(value)")
      if let index = lines.firstIndex(where: { $0.hasPrefix(field + ": ") }) {
        lines[index] = line
      } else {
        lines.insert(line, at: min(1, lines.count))
      }
    }

    /// Takes a field out, with the lines that continue it.
    mutating func drop(_ field: String) {
      guard let start = lines.firstIndex(where: { $0.hasPrefix(field + ":") }) else { return }
      var end = start + 1
      while end < lines.count, lines[end].first == " " { end += 1 }
      lines.removeSubrange(start..<end)
    }
  }

  private(set) var stanzas: [Stanza]

  /// Reads a text; lines before the first field of a stanza are dropped with it.
  init(_ text: String) {
    var stanzas: [Stanza] = []
    var lines: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        if !lines.isEmpty { stanzas.append(Stanza(lines: lines)) }
        lines = []
      } else {
        lines.append(line)
      }
    }
    if !lines.isEmpty { stanzas.append(Stanza(lines: lines)) }
    self.stanzas = stanzas
  }

  /// The file's text.
  var text: String {
    stanzas.map { $0.lines.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  /// Takes packages in half a state for configured.
  mutating func completeHalfStates() {
    for index in stanzas.indices {
      guard let status = stanzas[index]["Status"] else { continue }
      let words = status.split(separator: " ")
      guard words.count == 3, !Self.settled.contains(words[2]) else { continue }
      let isLeaving = words[0] == "deinstall" || words[0] == "purge"
      settle(index, isLeaving ? "\(words[0]) ok config-files" : "\(words[0]) ok installed")
    }
  }

  private static let settled: Set<Substring> = ["installed", "not-installed", "config-files"]

  /// Takes a package for installed as a stanza of an index or an archive says.
  mutating func install(_ name: String, _ architecture: String, _ stanza: Stanza) {
    var stanza = stanza
    for field in Self.indexFields { stanza.drop(field) }
    stanza.set("Status", "install ok installed")
    if let index = index(name, architecture) {
      if stanzas[index]["Status"]?.hasPrefix("hold ") == true {
        stanza.set("Status", "hold ok installed")
      }
      stanzas[index] = stanza
    } else {
      stanzas.append(stanza)
    }
  }

  /// Fields of an index that dpkg's database does not have.
  private static let indexFields = [
    "Filename", "Size", "MD5sum", "SHA1", "SHA256", "SHA512", "Description-md5", "Tag",
    "Phased-Update-Percentage",
  ]

  /// Takes an installed package for removed, its configuration files kept.
  mutating func remove(_ name: String, _ architecture: String) {
    guard let index = index(name, architecture) else { return }
    let version = stanzas[index]["Version"]
    settle(index, "deinstall ok config-files")
    // An index does not tell whether there are any; a purge of none needs no more than a removal.
    if let version { stanzas[index].set("Config-Version", version) }
  }

  /// Takes a package for gone.
  mutating func purge(_ name: String, _ architecture: String) {
    if let index = index(name, architecture) { stanzas.remove(at: index) }
  }

  /// Takes a package for configured.
  mutating func configure(_ name: String, _ architecture: String) {
    if let index = index(name, architecture) { settle(index, "install ok installed") }
  }

  private mutating func settle(_ index: Int, _ status: String) {
    stanzas[index].set("Status", status)
    for field in ["Triggers-Pending", "Triggers-Awaited", "Config-Version"] {
      stanzas[index].drop(field)
    }
  }

  private func index(_ name: String, _ architecture: String) -> Int? {
    let named = stanzas.indices.filter { stanzas[$0]["Package"] == name }
    return named.first { stanzas[$0]["Architecture"] == architecture }
      ?? (named.count == 1 && architecture == "all" ? named.first : nil)
  }
}
