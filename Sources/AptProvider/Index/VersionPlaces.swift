import HostSystem
internal import InstallJobs
import PackageProvider

/// The sources of each version of packages, as `apt-cache policy` lists them.
struct VersionPlaces: Sendable {
  /// A source as `ORIGIN:CODENAME/COMPONENT`, and whether it provides security updates.
  struct Place: Sendable, Hashable {
    var origin: String
    var isSecurity: Bool
  }

  /// The sources of each version: by the package's name as apt prints it (`NAME` or `NAME:ARCH`),
  /// then by version.
  private var places: [String: [String: [Place]]] = [:]

  /// Parses apt's output.
  ///
  /// - Parameters:
  ///   - text: The output of `apt-cache policy NAME...`.
  ///   - sources: The output of `apt-cache policy` without names: the sources with the fields of
  ///     their `Release` files.
  init(parsing text: String, sources: String) {
    let known = Self.origins(in: sources)
    var (name, version): (String?, String?) = (nil, nil)
    for line in text.split(separator: "\n") {
      if line.first != " ", line.last == ":" {
        (name, version) = (String(line.dropLast()), nil)
      } else if line.hasPrefix("        ") {
        guard let name, let version, let source = Self.source(line) else { continue }
        let place = Place(
          origin: known[source] ?? Sanitised.line(source, limit: 120),
          isSecurity: line.split(separator: " ").contains { $0.namesSecurity })
        places[name, default: [:]][version, default: []].append(place)
      } else if line.hasPrefix("     ") || line.hasPrefix(" *** ") {
        version = String(line.dropFirst(5).prefix { $0 != " " })
      }
    }
  }

  /// Returns the sources of a version, in apt's order of preference.
  func places(of name: String, _ version: String) -> [Place] { places[name]?[version] ?? [] }

  /// Returns the text behind the priority in a line about an index: address, suite, component,
  /// architecture.
  private static func source(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    // `100 /var/lib/dpkg/status` is the package database, not a source.
    guard words.count > 2, words.last == "Packages", Int(words[0]) != nil else { return nil }
    return words.dropFirst().dropLast().joined(separator: " ")
  }

  private static func origins(in text: String) -> [String: String] {
    var origins: [String: String] = [:]
    var last: String?
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if let source = source(line) {
        last = source
      } else if words.first == "release", let source = last {
        var fields: [Substring: Substring] = [:]
        for part in words.dropFirst().joined(separator: " ").split(separator: ",") {
          guard let equals = part.firstIndex(of: "=") else { continue }
          fields[part[..<equals]] = part[part.index(after: equals)...]
        }
        guard let origin = fields["o"], let codename = fields["n"] else { continue }
        let component = fields["c"].map { "/" + $0 } ?? ""
        origins[source] = Sanitised.line("\(origin):\(codename)\(component)", limit: 120)
      }
    }
    return origins
  }
}
