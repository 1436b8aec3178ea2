import HostSystem
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
    /// The archive's place in its repository; nil for what is only installed.
    var fileName: String?
    /// Whether it depends on debconf: its scripts ask what it has in its database.
    var usesDebconf: Bool

    /// Whether an archive of it is on offer.
    var isAvailable: Bool { fileName != nil }

    /// Whether it is the same version of the same package, wherever it comes from.
    func isLike(_ other: Record) -> Bool {
      var copy = other
      if isAvailable, other.isAvailable { copy.fileName = fileName }
      return copy == self
    }
  }

  /// Newest first for each package, as apt lists them.
  let records: [String: [Record]]
  /// The names that were asked for.
  private var names: Set<String> = []

  /// Reads the records of `names` (`NAME` or `NAME:ARCH`).
  ///
  /// Names are packages' names by policy, so none can be taken for an option; what apt takes for a
  /// pattern or task and answers with other packages is dropped.
  static func read(_ names: Set<String>, with tools: AptTools)
    async throws(InstallationError) -> PackageIndex
  {
    guard !names.isEmpty else { return PackageIndex(records: [:]) }
    let run = try await tools.readIndex(["show", "--"] + names.sorted())
    var index = PackageIndex(
      parsing: run.output, wanted: Set(names.map { $0.prefix { $0 != ":" } }))
    index.names = names
    return index
  }

  /// Adds the records of names that were not asked for yet.
  func reading(_ wanted: Set<String>, with tools: AptTools)
    async throws(InstallationError) -> PackageIndex
  {
    let missing = wanted.subtracting(names)
    guard !missing.isEmpty else { return self }
    let more = try await Self.read(missing, with: tools)
    var index = PackageIndex(records: records.merging(more.records) { $0 + $1 })
    index.names = names.union(missing)
    return index
  }

  init(records: [String: [Record]]) { self.records = records }

  // By bytes: a distribution's records are megabytes, and characters cost ten times as much.
  init(parsing text: String, wanted: Set<Substring>) {
    var found: [String: [Record]] = [:]
    var fields: [Field: Substring] = [:]
    func names(_ package: String, in dependencies: Substring) -> Bool {
      dependencies.contains(package)
        && dependencies.split { ",| (:".contains($0) }.contains { $0 == package }
    }
    func finish() {
      defer { fields = [:] }
      guard let name = fields[.name], wanted.contains(name), let version = fields[.version] else {
        return
      }
      let record = Record(
        name: String(name), version: String(version),
        architecture: String(fields[.architecture] ?? "all"),
        installedSize: SizeField.kibibytes(fields[.installedSize] ?? ""),
        downloadSize: SizeField.bytes(fields[.size] ?? ""),
        fileName: fields[.fileName].map { String($0) },
        usesDebconf: [.depends, .preDepends].contains { names("debconf", in: fields[$0] ?? "") })
      guard found[record.name]?.contains(where: record.isLike) != true else { return }
      found[record.name, default: []].append(record)
    }
    for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
      guard !line.isEmpty else {
        finish()
        continue
      }
      guard let field = Field.allCases.first(where: { line.starts(with: $0.rawValue.utf8) }) else {
        continue
      }
      // apt puts no empty line behind a record that ends in a carriage return.
      if field == .name { finish() }
      let value = Substring(line.dropFirst(field.rawValue.utf8.count))
      if fields[field] == nil { fields[field] = value }
    }
    finish()
    records = found
  }

  private enum Field: String, CaseIterable {
    case name = "Package: "
    case version = "Version: "
    case architecture = "Architecture: "
    case installedSize = "Installed-Size: "
    case size = "Size: "
    case fileName = "Filename: "
    case depends = "Depends: "
    case preDepends = "Pre-Depends: "
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
