/// One line of the output of `apt-get --simulate` that names an operation.
///
/// apt never translates the first word; names, versions and architectures come from the index.
/// Measured on apt 2.6.1 and 3.0.4: `Inst NAME[:ARCH] [OLD] (NEW ORIGINS [ARCH])`, `Conf NAME (...)`,
/// `Remv NAME [OLD]`, `Purg NAME [OLD]`, each followed by more text in brackets. The names of
/// origins are free text of whoever publishes the index, so only the fields before and behind them
/// are used.
struct SimulatedLine: Sendable, Hashable {
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
  /// The architecture behind the name, which apt prints for packages of foreign architectures only.
  var foreignArchitecture: String?
  var oldVersion: String?
  var newVersion: String?
  /// Whether packages have broken dependencies after the operation; apt names them in brackets at
  /// the end.
  var leavesBroken = false

  /// A line with the first word of an operation that cannot be read.
  struct Malformed: Error {
    var line: String
  }

  /// Parses a line; nil for a line that names no operation.
  ///
  /// - Throws: ``Malformed``.
  init?(_ line: some StringProtocol) throws(Malformed) {
    guard let verb = Verb(rawValue: String(line.prefix(4))), line.dropFirst(4).first == " " else {
      return nil
    }
    self.verb = verb
    var rest = Substring(line.dropFirst(5))
    let qualified = rest.prefix { $0 != " " }
    rest = rest.dropFirst(qualified.count).drop { $0 == " " }
    let parts = qualified.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else {
      throw Malformed(line: String(line))
    }
    name = String(parts[0])
    if parts.count == 2 { foreignArchitecture = String(parts[1]) }
    if rest.first == "[", let end = rest.firstIndex(of: "]"),
      verb == .unpack || verb == .remove || verb == .purge
    {
      oldVersion = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...].drop { $0 == " " }
    }
    architecture = foreignArchitecture
    if verb == .unpack || verb == .configure {
      guard rest.first == "(" else { throw Malformed(line: String(line)) }
      rest = rest.dropFirst()
      let version = rest.prefix { $0 != " " }
      guard !version.isEmpty, let end = Self.architecture(in: rest.dropFirst(version.count)) else {
        throw Malformed(line: String(line))
      }
      newVersion = String(version)
      architecture = String(end.name)
      rest = rest[end.end...]
    }
    leavesBroken = rest.contains("[")
  }

  /// Finds the first ` [ARCH])`.
  private static func architecture(
    in text: Substring
  ) -> (name: Substring, end: Substring.Index)? {
    var rest = text
    while let open = rest.firstRange(of: " [") {
      rest = rest[open.upperBound...]
      let name = rest.utf8.prefix {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
      let behind = rest[name.endIndex...]
      if !name.isEmpty, behind.hasPrefix("])") {
        return (Substring(name), behind.index(behind.startIndex, offsetBy: 2))
      }
    }
    return nil
  }
}
