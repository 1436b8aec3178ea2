import HostSystem
internal import InstallJobs
import PackageProvider

/// The versions that apt would install, from `apt-cache policy`.
struct AptPolicy: Sendable {
  /// Candidate versions by name (`NAME` or `NAME:ARCH`); packages without a candidate are missing.
  let candidates: [String: String]
  /// Names whose candidate comes from a source of security updates.
  private let security: Set<String>

  static func read(_ names: [String], with tools: AptTools)
    async throws(InstallationError) -> AptPolicy
  {
    let run = try await tools.readIndex(["policy", "--"] + names)
    return AptPolicy(parsing: run.output)
  }

  init(parsing text: String) {
    var found: [String: String] = [:]
    var security: Set<String> = []
    var name: String?
    var version: Substring?
    for line in text.split(separator: "\n") {
      if line.first != " ", line.last == ":" {
        name = String(line.dropLast())
      } else if line.hasPrefix("  Candidate: "), let name {
        let version = line.dropFirst(13)
        if version != "(none)" { found[name] = String(version) }
      } else if line.hasPrefix("        ") {
        // `500 URI SUITE/COMPONENT ARCH Packages`: a source of the version in the row above.
        let words = line.split(separator: " ")
        if let name, let version, found[name].map({ $0 == version }) == true, words.count > 3,
          words[2].namesSecurity
        {
          security.insert(name)
        }
      } else if line.hasPrefix("     ") || line.hasPrefix(" *** ") {
        version = line.dropFirst(5).prefix { $0 != " " }
      }
    }
    candidates = found
    self.security = security
  }

  /// Returns the installed packages whose candidate is newer, in the database's order.
  func upgradable(in database: PackageDatabase) async throws(InstallationError)
    -> [PackageDatabase.Entry]
  {
    let changed = database.entries.filter { entry in
      guard entry.isPresent, let candidate = candidate(of: entry, in: database) else {
        return false
      }
      return candidate != entry.version
    }
    let pairs = changed.map { ($0.version, candidate(of: $0, in: database) ?? "") }
    let isOlder = try await VersionOrder.areOlder(pairs)
    return zip(changed, isOlder).filter(\.1).map(\.0)
  }

  /// Whether a source of security updates has the candidate of a package.
  func isSecurity(_ entry: PackageDatabase.Entry, in database: PackageDatabase) -> Bool {
    security.contains(entry.name + ":" + entry.architecture)
      || database.isNative(entry.architecture) && security.contains(entry.name)
  }

  func candidate(of entry: PackageDatabase.Entry, in database: PackageDatabase) -> String? {
    candidates[entry.name + ":" + entry.architecture]
      ?? (database.isNative(entry.architecture) ? candidates[entry.name] : nil)
  }
}
