import PackageProvider

/// One line of the output of `apt-get --simulate`.
///
/// apt never translates the first word; names, versions and architectures come from the index.
/// Measured on apt 2.6.1: `Inst NAME[:ARCH] [OLD] (NEW ORIGIN [ARCH])`, `Conf NAME (...)`,
/// `Remv NAME [OLD]`, `Purg NAME [OLD]`, each followed by more text in brackets.
struct SimulatedAction: Sendable, Hashable {
  enum Verb: String, Sendable {
    case unpack = "Inst"
    case configure = "Conf"
    case remove = "Remv"
    case purge = "Purg"
  }

  var verb: Verb
  var name: String
  /// The architecture where the line has one: always for unpacking and configuration, for removals
  /// only when it is foreign.
  var architecture: String?
  var oldVersion: String?
  var newVersion: String?
  /// The release that provides the new version.
  var origin: String?
  /// Whether any release that provides the new version has security updates.
  var isSecurity = false

  /// Parses a line; nil for every other line.
  init?(_ line: some StringProtocol) {
    guard let verb = Verb(rawValue: String(line.prefix(4))), line.dropFirst(4).first == " " else {
      return nil
    }
    self.verb = verb
    var rest = Substring(line.dropFirst(5))
    let qualified = rest.prefix { $0 != " " }
    rest = rest.dropFirst(qualified.count).drop { $0 == " " }
    let parts = qualified.split(separator: ":", maxSplits: 1)
    guard let first = parts.first, Self.isName(first) else { return nil }
    name = String(first)
    if parts.count == 2 { architecture = String(parts[1]) }
    if rest.first == "[", let end = rest.firstIndex(of: "]") {
      oldVersion = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...].drop { $0 == " " }
    }
    guard verb == .unpack || verb == .configure else { return }
    guard rest.first == "(", let end = rest.firstIndex(of: ")") else { return nil }
    let inner = rest[rest.index(after: rest.startIndex)..<end]
    let version = inner.prefix { $0 != " " }
    guard !version.isEmpty else { return nil }
    newVersion = String(version)
    guard inner.last == "]", let open = inner.lastIndex(of: "[") else { return nil }
    architecture = String(inner[inner.index(after: open)...].dropLast())
    let origin = inner[..<open].dropFirst(version.count)
    isSecurity = origin.namesSecurity
    self.origin = Self.trimmed(origin.prefix { $0 != "," })
  }

  private static func isName(_ text: Substring) -> Bool {
    text.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
    }
  }

  private static func trimmed(_ text: Substring) -> String? {
    let inner = text.drop { $0 == " " }
    let words = inner.reversed().drop { $0 == " " }.reversed()
    return words.isEmpty ? nil : String(words)
  }
}
