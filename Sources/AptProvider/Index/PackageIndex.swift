import HostSystem
internal import InstallJobs

/// Records of the package index for some packages.
struct PackageIndex: Sendable {
  /// One version of one package.
  struct Record: Sendable, Hashable {
    var name: String
    var version: String
    var architecture: String
    /// Installed size in KiB.
    var installedSize: Int64
    /// Size of the archive in bytes.
    var downloadSize: Int64
    /// The archive's path in its repository; nil for a version that is only installed.
    var fileName: String?
    /// Whether the package depends on debconf, so that its scripts use debconf's database.
    var usesDebconf: Bool

    /// Whether any source provides the archive.
    var isAvailable: Bool { fileName != nil }

    /// Whether both are the same version of the same package, from any source.
    func isLike(_ other: Record) -> Bool {
      var copy = other
      if isAvailable, other.isAvailable { copy.fileName = fileName }
      return copy == self
    }
  }

  /// The records by package name, newest first as apt lists them.
  let records: [String: [Record]]
  /// The names that were requested from apt.
  private var names: Set<String> = []

  /// Reads the records of `names` (`NAME` or `NAME:ARCH`).
  ///
  /// The names are validated package names, so that apt takes none for an option. apt may take a
  /// name for a pattern or task; records of other packages are dropped.
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

  /// Returns an index with the records of further names added.
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

  // Parses bytes, not characters: a distribution's records are megabytes, and characters take ten
  // times as long.
  init(parsing text: String, wanted: Set<Substring>) {
    var found: [String: [Record]] = [:]
    var fields: [Field: Substring] = [:]
    func names(_ package: String, in dependencies: Substring) -> Bool {
      dependencies.contains(package)
        && dependencies.split { ",| (:".contains($0) }.contains { $0 == package }
    }
    func finish() {
      defer { fields = [:] }
      let name = fields[.name].map { Update.packageName($0) }
      guard let name, wanted.contains(name[...]), let version = fields[.version] else { return }
      let record = Record(
        name: name, version: String(version),
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
      // apt prints no empty line after a record that ends in a carriage return.
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

  /// Returns the records that an update may mean.
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
