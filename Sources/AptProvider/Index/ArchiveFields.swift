import HostSystem
internal import InstallJobs

/// The control fields of a package archive.
struct ArchiveFields: Sendable, Hashable {
  var name: String
  var version: String
  var architecture: String
  /// Installed size in KiB.
  var installedSize: Int64

  /// Reads a complete archive, so that a truncated or damaged archive is found before any work.
  ///
  /// - Parameters:
  ///   - path: The path of the archive.
  ///   - name: The archive's name for messages.
  /// - Returns: The fields.
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
    guard let package = values["Package"].map({ Update.packageName($0) }),
      let version = values["Version"],
      let architecture = values["Architecture"], Update.isPackageName(package),
      Update.isVersion(version)
    else { throw damaged("it names no package, version and architecture") }
    let check = try await tool.run(
      ["--contents", path], environment: Tool.plain, to: "check an archive", limits: .readingArchive
    )
    guard check.status == 0 else { throw damaged("it is damaged") }
    return ArchiveFields(
      name: package, version: String(version), architecture: String(architecture),
      installedSize: SizeField.kibibytes(values["Installed-Size"] ?? ""))
  }

  /// Reads the archive of an update from the store and compares it with the request.
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
