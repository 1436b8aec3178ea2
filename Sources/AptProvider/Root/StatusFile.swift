/// dpkg's status file as a list of stanzas (deb822(5)), for work on a copy of it.
struct StatusFile: Sendable {
  /// The stanza of one package: its lines unchanged.
  struct Stanza: Sendable, Hashable {
    fileprivate(set) var lines: [Substring]

    /// The value on a field's first line, its name in any case; nil where the stanza has no such
    /// field.
    subscript(_ field: String) -> String? {
      guard let line = lines.first(where: { $0.isField(field) }) else { return nil }
      let value = line.dropFirst(field.utf8.count + 1).drop { $0 == " " || $0 == "\t" }
      return String(value)
    }

    /// Replaces a field, or inserts it after the package's name.
    mutating func set(_ field: String, _ value: String) {
      let line = Substring("\(field): \(value)")
      if let index = lines.firstIndex(where: { $0.isField(field) }) {
        lines[index] = line
      } else {
        lines.insert(line, at: min(1, lines.count))
      }
    }

    /// Removes a field with its continuation lines.
    mutating func drop(_ field: String) {
      guard let start = lines.firstIndex(where: { $0.isField(field) }) else { return }
      var end = start + 1
      while end < lines.count, let first = lines[end].first, first == " " || first == "\t" {
        end += 1
      }
      lines.removeSubrange(start..<end)
    }

    /// Whether dpkg can have both installed at the same time.
    fileprivate func isCoinstallable(with other: Stanza) -> Bool {
      self["Multi-Arch"] == "same" && other["Multi-Arch"] == "same"
        && self["Architecture"] != other["Architecture"]
    }
  }

  /// The stanzas by position; nil where one was removed.
  private var places: [Stanza?] = []
  private var placesOfName: [String: [Int]] = [:]
  private let nativeArchitecture: String

  /// The stanzas in their order.
  var stanzas: [Stanza] { places.compactMap(\.self) }

  /// Parses a text.
  ///
  /// - Parameters:
  ///   - text: Stanzas with empty lines between them.
  ///   - nativeArchitecture: The architecture of native packages, used to find a package's entry.
  init(_ text: String, nativeArchitecture: String = "") {
    self.nativeArchitecture = nativeArchitecture
    var lines: [Substring] = []
    // Splits bytes: a carriage return and a line feed are one Character.
    for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if line.isEmpty {
        if !lines.isEmpty { append(Stanza(lines: lines)) }
        lines = []
      } else {
        lines.append(Substring(line))
      }
    }
    if !lines.isEmpty { append(Stanza(lines: lines)) }
  }

  private mutating func append(_ stanza: Stanza) {
    placesOfName[stanza["Package"] ?? "", default: []].append(places.count)
    places.append(stanza)
  }

  /// The file's text.
  var text: String {
    stanzas.map { $0.lines.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  /// Marks incomplete packages as configured, or as removed where their removal was requested.
  mutating func markIncompleteAsConfigured() {
    for place in places.indices {
      guard let words = places[place]?["Status"]?.split(separator: " "), words.count == 3,
        !Self.settled.contains(words[2])
      else { continue }
      let isLeaving = words[0] == "deinstall" || words[0] == "purge"
      setStatus(place, isLeaving ? "\(words[0]) ok config-files" : "\(words[0]) ok installed")
    }
  }

  private static let settled: Set<Substring> = ["installed", "not-installed", "config-files"]

  /// Marks a package as installed from the stanza of an index or an archive.
  ///
  /// As with dpkg (measured on 1.21.22), the stanza replaces every entry of the same name,
  /// installed or with configuration files only, except entries of another architecture where both
  /// are `Multi-Arch: same`.
  mutating func install(_ stanza: Stanza) {
    guard let name = stanza["Package"] else { return }
    var stanza = stanza
    for field in Self.indexFields { stanza.drop(field) }
    let replaced = placesOfName[name, default: []].filter { place in
      places[place].map { !$0.isCoinstallable(with: stanza) } ?? false
    }
    let isHeld = replaced.contains { places[$0]?["Status"]?.hasPrefix("hold ") == true }
    stanza.set("Status", isHeld ? "hold ok installed" : "install ok installed")
    for place in replaced { places[place] = nil }
    append(stanza)
  }

  /// Fields of an index or an archive that dpkg's database does not have, or sets itself.
  private static let indexFields = [
    "Filename", "Size", "MD5sum", "SHA1", "SHA256", "SHA512", "Description-md5", "Tag",
    "Phased-Update-Percentage", "Conffiles", "Config-Version", "Triggers-Pending",
    "Triggers-Awaited",
  ]

  /// Marks an installed package as removed, with its configuration files kept.
  mutating func remove(_ name: String, _ architecture: String) {
    guard let place = place(of: name, architecture) else { return }
    let version = places[place]?["Version"]
    setStatus(place, "deinstall ok config-files")
    // An index does not say whether the package has configuration files; purging none equals a
    // removal.
    if let version { places[place]?.set("Config-Version", version) }
  }

  /// Removes a package's stanza.
  mutating func purge(_ name: String, _ architecture: String) {
    if let place = place(of: name, architecture) { places[place] = nil }
  }

  /// Marks a package as configured.
  mutating func configure(_ name: String, _ architecture: String) {
    guard let place = place(of: name, architecture) else { return }
    let isHeld = places[place]?["Status"]?.hasPrefix("hold ") == true
    setStatus(place, isHeld ? "hold ok installed" : "install ok installed")
  }

  private mutating func setStatus(_ place: Int, _ status: String) {
    places[place]?.set("Status", status)
    for field in ["Triggers-Pending", "Triggers-Awaited", "Config-Version"] {
      places[place]?.drop(field)
    }
  }

  /// Returns the position of a package's entry; packages with architecture `all` are native.
  private func place(of name: String, _ architecture: String) -> Int? {
    let found = placesOfName[name, default: []].filter { places[$0] != nil }
    func isNative(_ architecture: String?) -> Bool {
      architecture == "all" || architecture == nativeArchitecture
    }
    return found.first { places[$0]?["Architecture"] == architecture }
      ?? (isNative(architecture)
        ? found.first { isNative(places[$0]?["Architecture"]) } : nil)
  }
}

extension Substring {
  /// Whether the line begins a field; by deb822(5) the name may have any case.
  fileprivate func isField(_ name: String) -> Bool {
    var own = utf8.makeIterator()
    for wanted in name.utf8 {
      guard let byte = own.next(), byte | 0x20 == wanted | 0x20 else { return false }
    }
    return own.next() == UInt8(ascii: ":")
  }
}
