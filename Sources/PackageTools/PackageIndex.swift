internal import InstallJobs

/// What the package index says about a few packages.
struct PackageIndex: Sendable {
  /// One version of one package.
  struct Record: Sendable, Hashable {
    var name: String
    var version: String
    var architecture: String
    /// Kibibytes on disk.
    var installedSize: Int64
    /// Bytes of the archive.
    var downloadSize: Int64
    /// Whether an archive of it is on offer; false for what is only installed.
    var isAvailable: Bool
  }

  /// Newest first for each package, as apt lists them.
  let records: [String: [Record]]

  /// Reads the records of `names` (`NAME` or `NAME:ARCH`).
  ///
  /// Names are packages' names by policy, so none can be taken for an option; what apt takes for a
  /// pattern or task and answers with other packages is dropped.
  static func read(_ names: Set<String>, with tools: AptTools)
    async throws(InstallationError) -> PackageIndex
  {
    guard !names.isEmpty else { return PackageIndex(records: [:]) }
    let run = try await tools.run("/usr/bin/apt-cache", ["show", "--"] + names.sorted())
    return PackageIndex(parsing: run.output, wanted: Set(names.map { $0.prefix { $0 != ":" } }))
  }

  init(records: [String: [Record]]) { self.records = records }

  init(parsing text: String, wanted: Set<Substring>) {
    var found: [String: [Record]] = [:]
    var fields: [Substring: Substring] = [:]
    func finish() {
      defer { fields = [:] }
      guard let name = fields["Package"], wanted.contains(name), let version = fields["Version"]
      else { return }
      let record = Record(
        name: String(name), version: String(version),
        architecture: String(fields["Architecture"] ?? "all"),
        installedSize: Int64(fields["Installed-Size"] ?? "") ?? 0,
        downloadSize: Int64(fields["Size"] ?? "") ?? 0,
        isAvailable: fields["Filename"] != nil)
      if found[record.name]?.contains(record) != true {
        found[record.name, default: []] += [record]
      }
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        finish()
      } else if let colon = line.firstIndex(of: ":"), line.first != " " {
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        if fields[line[..<colon]] == nil { fields[line[..<colon]] = value }
      }
    }
    finish()
    records = found
  }

  /// The records that an update could mean.
  func records(for update: Update, native: String) -> [Record] {
    let architectures: Set<String> =
      switch update.architecture {
      case nil: [native, "all"]
      case native: [native, "all"]
      case let other?: [other]
      }
    let all = records[update.name] ?? []
    let matching = all.filter { architectures.contains($0.architecture) }
    return matching.isEmpty && update.architecture == nil ? all : matching
  }
}
