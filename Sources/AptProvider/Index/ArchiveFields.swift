import HostSystem
internal import InstallJobs

/// What a package archive says of itself.
struct ArchiveFields: Sendable, Hashable {
  var name: String
  var version: String
  var architecture: String
  /// Kibibytes on disk.
  var installedSize: Int64

  /// Reads an archive, all of it: what is cut off or overwritten is found before any work.
  ///
  /// - Parameters:
  ///   - path: Where it lies.
  ///   - name: What people call it.
  /// - Returns: Its fields.
  /// - Throws: `badArchive`.
  static func read(_ path: String, calledBy name: String)
    async throws(InstallationError) -> ArchiveFields
  {
    func damaged(_ reason: String) -> InstallationError {
      InstallationError(
        .badArchive, "cannot use '\(Sanitised.line(name, limit: 80))': \(reason)", class: .fatal,
        hint: "fetch the archive again")
    }
    guard RootFiles.isFile(path) else { throw damaged("there is no such archive") }
    let tool = Tool("/usr/bin/dpkg-deb")
    let fields = try await tool.run(
      ["-f", path, "Package", "Version", "Architecture", "Installed-Size"],
      environment: Tool.plain, to: "read an archive", limits: .readingArchive)
    guard fields.status == 0 else { throw damaged("it is not a package archive") }
    var values: [Substring: Substring] = [:]
    for line in fields.lines {
      guard let colon = line.firstIndex(of: ":") else { continue }
      values[line[..<colon]] = line[line.index(after: colon)...].drop { $0 == " " }
    }
    guard let package = values["Package"], let version = values["Version"],
      let architecture = values["Architecture"], Update.isPackageName(package),
      Update.isVersion(version)
    else { throw damaged("it names no package, version and architecture") }
    let check = try await tool.run(
      ["--contents", path], environment: Tool.plain, to: "check an archive", limits: .readingArchive
    )
    guard check.status == 0 else { throw damaged("it is damaged") }
    return ArchiveFields(
      name: String(package), version: String(version), architecture: String(architecture),
      installedSize: SizeField.kibibytes(values["Installed-Size"] ?? ""))
  }

  /// Reads the archive of an update out of the store and compares it with what is asked for.
  static func read(_ update: Update, in store: String)
    async throws(InstallationError) -> ArchiveFields?
  {
    guard let archive = update.archive else { return nil }
    let isHash = archive.sha256.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
    }
    guard isHash, archive.sha256.utf8.count == 64 else {
      throw InstallationError(
        .badArchive, "the hash of '\(Sanitised.line(archive.fileName, limit: 80))' is malformed",
        class: .fatal, update: update.name, hint: "submit the archive again")
    }
    let fields = try await read("\(store)/\(archive.sha256).deb", calledBy: archive.fileName)
    guard fields.name == update.name, update.version ?? fields.version == fields.version,
      update.architecture ?? fields.architecture == fields.architecture
    else {
      throw InstallationError(
        .badArchive,
        "'\(Sanitised.line(archive.fileName, limit: 80))' holds "
          + "\(fields.name)=\(fields.version):\(fields.architecture), not \(update)",
        class: .fatal, update: update.name, hint: "name what the archive holds")
    }
    return fields
  }
}
