import HostSystem
internal import InstallJobs
import PackageProvider

/// Where each version of packages can be had, as `apt-cache policy` lists it.
struct VersionPlaces: Sendable {
  /// A place that has versions: `ORIGIN:CODENAME/COMPONENT`, and whether it brings security updates.
  struct Place: Sendable, Hashable {
    var origin: String
    var isSecurity: Bool
  }

  /// By name as apt prints it (`NAME` or `NAME:ARCH`), then by version.
  private var places: [String: [String: [Place]]] = [:]

  /// - Parameters:
  ///   - text: What `apt-cache policy NAME...` prints.
  ///   - sources: What `apt-cache policy` prints without names: the archives, each with what its `Release`
  ///     file calls it.
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

  /// The places that have a version, the one that apt prefers first.
  func places(of name: String, _ version: String) -> [Place] { places[name]?[version] ?? [] }

  /// What stands behind the priority in a line about an index: address, suite, component, architecture.
  private static func source(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    // `100 /var/lib/dpkg/status` is the package database, which is no source.
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
