internal import InstallJobs

/// Which version apt would take of packages: `apt-cache policy`.
struct AptPolicy: Sendable {
  /// Candidate versions by name (`NAME` or `NAME:ARCH`), none where there is no candidate.
  let candidates: [String: String]

  static func read(_ names: [String], with tools: AptTools)
    async throws(InstallationError) -> AptPolicy
  {
    let run = try await tools.run("/usr/bin/apt-cache", ["policy", "--"] + names)
    return AptPolicy(parsing: run.output)
  }

  init(parsing text: String) {
    var found: [String: String] = [:]
    var name: String?
    for line in text.split(separator: "\n") {
      if line.first != " ", line.last == ":" {
        name = String(line.dropLast())
      } else if line.hasPrefix("  Candidate: "), let name {
        let version = line.dropFirst(13)
        if version != "(none)" { found[name] = String(version) }
      }
    }
    candidates = found
  }

  /// Installed packages whose candidate is newer than they are, in the database's order.
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

  func candidate(of entry: PackageDatabase.Entry, in database: PackageDatabase) -> String? {
    candidates[entry.name + ":" + entry.architecture]
      ?? (database.isNative(entry.architecture) ? candidates[entry.name] : nil)
  }
}
