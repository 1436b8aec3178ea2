import HostSystem
package import InstallJobs
import PackageProvider

extension AptProvider {
  /// Number of packages whose records one call of apt's tools reads.
  private static let batch = 2000
  /// Maximum number of packages whose records are read in one search.
  private static let mostRecords = 20_000

  /// Searches index and package database; see ``PackageProvider/search(_:keptIn:)``.
  package func search(
    _ criteria: UpdateCriteria, keptIn stateFolder: String
  ) async throws(InstallationError) -> UpdateSearchResult {
    let database = try await PackageDatabase.read(packageRoot)
    let tools = try AptTools(AptConfiguration(root: packageRoot), cache: cache)
    defer { tools.close() }
    var warnings = try await SourceIndexes.missing(with: tools)
    let names = try await names(criteria, database, tools)
    var unreadable: [String] = []
    var found: [PackageRecord] = []
    var rest = names[...]
    // Reads until one record more than the limit is found, which shows that there are more.
    while !rest.isEmpty, found.count <= criteria.limit,
      names.count - rest.count < Self.mostRecords
    {
      let some = Array(rest.prefix(Self.batch))
      rest = rest.dropFirst(some.count)
      let records = try await records(of: some, criteria, database, tools, &unreadable)
      // Without names in the criteria apt has already searched for the words.
      found += records.filter {
        criteria.includes($0.details)
          && (criteria.names.isEmpty || criteria.hasWords(of: $0.details))
      }
    }
    if found.isEmpty { try await planner.refuseDamagedIndex() }
    if let first = unreadable.first {
      warnings.append(
        UpdateWarning(
          .unreadableRecord,
          "records of the index cannot be read and are left out: \(unreadable.count), the first of "
            + "'\(first)'",
          context: .incompleteSearch))
    }
    var result = criteria.answer(
      found.map(\.details), isWhole: rest.isEmpty || found.count > criteria.limit,
      warnings: warnings)
    let archives = DownloadedArchives(
      in: JobFolder.all(in: stateFolder + "/jobs").map { $0.path(.archives) }
        + [packageRoot.path("var/cache/apt/archives")],
      archiveDigests)
    for index in result.updates.indices {
      result.updates[index].presence.isDownloaded = await archives.has(found[index])
    }
    return result
  }

  /// Returns the sorted names of packages that may match.
  private func names(
    _ criteria: UpdateCriteria, _ database: PackageDatabase, _ tools: AptTools
  ) async throws(InstallationError) -> [String] {
    let present = Set(database.entries.lazy.filter(\.isPresent).map(\.name))
    var names: Set<String>
    if criteria.names.contains(where: Glob.isPattern) {
      let known = try await tools.readIndex(["pkgnames"]).lines.map(String.init)
      names = Set(known).union(present).filter(criteria.includes(name:))
    } else if !criteria.names.isEmpty {
      names = Set(criteria.names)
    } else if !criteria.words.isEmpty {
      let run = try await tools.readIndex(["search", "--"] + criteria.words.map(Self.pattern))
      names = Set(run.lines.map { String($0.prefix { $0 != " " }) })
    } else if criteria.isInstalled == true || criteria.isUpgrade == true {
      names = present
    } else {
      names = Set(try await tools.readIndex(["pkgnames"]).lines.map(String.init))
    }
    if criteria.isInstalled == true || criteria.isUpgrade == true {
      names.formIntersection(present)
    }
    // apt also prints names without a record: virtual packages and patterns.
    return names.filter { Update.isPackageName($0) }.sorted()
  }

  /// Returns a pattern of regex(7) that matches only this word.
  ///
  /// Special characters are put into brackets, because some have a special meaning behind a
  /// backslash in the C library (`\<`, `\'`). In brackets only `^` has one; `^` and the backslash
  /// itself get a backslash.
  private static func pattern(_ word: String) -> String {
    word.unicodeScalars.map { scalar in
      let character = Character(scalar)
      guard scalar.isASCII, !character.isLetter, !character.isNumber else { return "\(scalar)" }
      return scalar == "^" || scalar == "\\" ? "\\\(scalar)" : "[\(scalar)]"
    }.joined()
  }

  /// Reads the records that are compared with the criteria: all versions of each package, or one
  /// version of each architecture.
  ///
  /// Appends the package name of each record that cannot be read to `unreadable`.
  private func records(
    of names: [String], _ criteria: UpdateCriteria, _ database: PackageDatabase, _ tools: AptTools,
    _ unreadable: inout [String]
  ) async throws(InstallationError) -> [PackageRecord] {
    guard !names.isEmpty else { return [] }
    let wanted = Set(names)
    let foreign = database.entries.filter { entry in
      entry.isPresent && wanted.contains(entry.name) && !database.isNative(entry.architecture)
    }
    let asked = names + foreign.map { AptCommand.qualified($0.name, $0.architecture) }
    let policy = try await tools.readIndex(["policy", "--"] + asked).output
    let sources = try await tools.readIndex(["policy"]).output
    let candidates = AptPolicy(parsing: policy).candidates
    let places = VersionPlaces(parsing: policy, sources: sources)
    let shown = try await tools.readIndex(["show", "--"] + asked).output
    var records: [String: [PackageRecord]] = [:]
    for stanza in StatusFile(shown).stanzas {
      guard !Task.isCancelled else {
        throw InstallationError(.cancelled, "the search was cancelled", class: .transient)
      }
      guard var record = PackageRecord(stanza) else {
        unreadable.append(Sanitised.line(stanza["Package"] ?? "an unnamed package", limit: 60))
        continue
      }
      // For a virtual package apt prints the records of its providers.
      guard wanted.contains(record.details.name) else { continue }
      let (name, version) = (record.details.name, record.details.version)
      let key =
        database.isNative(record.details.architecture)
        ? name : AptCommand.qualified(name, record.details.architecture)
      let found = places.places(of: key, version)
      record.details.origin = found.first?.origin
      record.details.isSecurity = found.contains(where: \.isSecurity)
      record.details.isCandidate = candidates[key] == version
      record.details.presence = UpdateDetails.Presence(
        database.entry(name, record.details.architecture))
      // apt prints an installed version a second time, from the status file and without its
      // archive.
      if let same = records[name]?.firstIndex(where: { $0.details.id == record.details.id }) {
        if records[name]?[same].fileName == nil { records[name]?[same] = record }
      } else {
        records[name, default: []].append(record)
      }
    }
    return names.flatMap { name in
      let all = records[name] ?? []
      guard !criteria.includesAllVersions else { return all }
      let architectures = Set(all.map(\.details.architecture)).sorted()
      return architectures.compactMap { architecture in
        let own = all.filter { $0.details.architecture == architecture }
        return criteria.isInstalled == true
          ? own.first { $0.details.isInstalled }
          : own.first { $0.details.isCandidate } ?? own.first { $0.details.isInstalled }
      }
    }
  }
}

extension UpdateDetails.Presence {
  /// Creates the presence from a package's entry in the database.
  fileprivate init(_ entry: PackageDatabase.Entry?) {
    self.init()
    guard let entry else { return }
    installedVersion = entry.isPresent ? entry.version : nil
    hasOnlyConfiguration = entry.state == "config-files"
    isHeld = entry.isHeld
    isEssential = entry.isEssential
  }
}
