import HostSystem
internal import InstallJobs
import PackageProvider

/// The sources of each version of packages, as `apt-cache policy` lists them.
struct VersionPlaces: Sendable {
  /// A source of a version.
  struct Place: Sendable, Hashable {
    /// `ORIGIN:CODENAME/COMPONENT`, or the source's address.
    var origin: String
    /// Suite, codename and version of the release.
    var releases: [String] = []
    /// Whether the source provides security updates.
    var isSecurity: Bool
  }

  private struct Version: Sendable {
    var number: String
    /// apt's priority of the version; below zero it is never installed by itself.
    var priority: Int
    var places: [Place] = []
  }

  /// The versions of each package, newest first, by the package's name as apt prints it (`NAME` or
  /// `NAME:ARCH`).
  private var versions: [String: [Version]] = [:]
  /// Whether a source provides security updates.
  let hasSecuritySource: Bool

  /// Parses apt's output.
  ///
  /// - Parameters:
  ///   - text: The output of `apt-cache policy NAME...`.
  ///   - sources: The output of `apt-cache policy` without names: the sources with the fields of
  ///     their `Release` files.
  init(parsing text: String, sources: String) {
    let known = Self.releases(in: sources)
    hasSecuritySource = known.values.contains(where: \.isSecurity)
    var name: String?
    for line in text.split(separator: "\n") {
      if line.first != " ", line.last == ":" {
        name = String(line.dropLast())
      } else if line.hasPrefix("        ") {
        guard let name, let last = versions[name]?.indices.last, let source = Self.source(line)
        else { continue }
        let release = known[source]
        versions[name]?[last].places.append(
          Place(
            origin: release?.origin ?? Sanitised.line(source, limit: 120),
            releases: release?.names ?? [],
            isSecurity: release?.isSecurity == true
              || line.split(separator: " ").contains { $0.namesSecurity }))
      } else if line.hasPrefix("     ") || line.hasPrefix(" *** "), let name {
        let words = line.dropFirst(5).split(separator: " ")
        guard let number = words.first, words.count > 1, let priority = Int(words[1]) else {
          continue
        }
        versions[name, default: []].append(Version(number: String(number), priority: priority))
      }
    }
  }

  /// Returns the sources of a version, in apt's order of preference.
  func places(of name: String, _ version: String) -> [Place] {
    versions[name]?.first { $0.number == version }?.places ?? []
  }

  /// Returns the newest version of a package that a source of security updates has and that the
  /// machine's preferences do not forbid.
  func newestSecurity(of name: String) -> String? {
    versions[name]?.first { $0.priority > 0 && $0.places.contains(where: \.isSecurity) }?.number
  }

  /// Returns the newest version of a package in a release, given by suite, codename or version.
  func newest(of name: String, from release: String) -> String? {
    versions[name]?.first { $0.places.contains { $0.releases.contains(release) } }?.number
  }

  /// Returns the names of the releases that have a package, in alphabetical order.
  func releases(of name: String) -> [String] {
    let all = (versions[name] ?? []).flatMap(\.places).flatMap(\.releases)
    return Set(all).map { Sanitised.line($0, limit: 60) }.sorted()
  }

  /// Returns the text behind the priority in a line about an index: address, suite, component,
  /// architecture.
  private static func source(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    // `100 /var/lib/dpkg/status` is the package database, not a source.
    guard words.count > 2, words.last == "Packages", Int(words[0]) != nil else { return nil }
    return words.dropFirst().dropLast().joined(separator: " ")
  }

  /// The fields of a `Release` file that `apt-cache policy` prints.
  private struct Release {
    var origin: String?
    var names: [String]
    var isSecurity: Bool
  }

  private static func releases(in text: String) -> [String: Release] {
    var releases: [String: Release] = [:]
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
        func values(_ keys: [Substring]) -> [String] {
          keys.compactMap { fields[$0].map(String.init) }
        }
        var release = Release(
          names: values(["a", "n", "v"]),
          isSecurity: values(["a", "n", "l"]).contains(where: \.namesSecurity))
        if let origin = fields["o"], let codename = fields["n"] {
          let component = fields["c"].map { "/" + $0 } ?? ""
          release.origin = Sanitised.line("\(origin):\(codename)\(component)", limit: 120)
        }
        releases[source] = release
      }
    }
    return releases
  }
}
