import HostSystem
internal import InstallJobs

/// A package's record in the index, with all fields sanitised for display.
struct PackageRecord {
  /// The details that the record has.
  var details: UpdateDetails
  /// The archive's path in its repository; nil for a version that is only installed.
  var fileName: String?
  /// The archive's SHA-256 in lower-case hexadecimal; nil where the index has none.
  var sha256: String?

  /// Maximum number of other fields, and maximum characters of one value and of the description.
  private static let (mostFields, longestField, longestText) = (60, 500, 4000)
  /// Maximum number of packages of a relation.
  private static let mostNames = 1000

  /// Parses a stanza; nil where it has no package name or version, or more than one `Package`
  /// field.
  ///
  /// apt prints no empty line after a record that ends in a carriage return, so such a stanza mixes
  /// the fields of two packages.
  init?(_ stanza: StatusFile.Stanza) {
    guard stanza.lines.count(where: { $0.utf8.starts(with: "Package:".utf8) }) == 1 else {
      return nil
    }
    var fields = Self.fields(of: stanza)
    func removeField(_ field: String) -> String? { fields.removeValue(forKey: field) }
    guard let name = removeField("Package").map({ Update.packageName($0) }),
      Update.isPackageName(name),
      let version = removeField("Version"),
      Update.isVersion(version)
    else { return nil }
    let architecture = removeField("Architecture") ?? "all"
    details = UpdateDetails(
      name: name, version: version, architecture: Sanitised.line(architecture, limit: 60))
    fileName = removeField("Filename")
    sha256 = removeField("SHA256")
    details.homepage = removeField("Homepage").map { Sanitised.line($0) }
    details.section = removeField("Section").map { Sanitised.line($0, limit: 60) }
    details.downloadSize = SizeField.bytes(Substring(removeField("Size") ?? ""))
    details.installedSize =
      SizeField.kibibytes(Substring(removeField("Installed-Size") ?? "")) * 1024
    details.replaces = Self.names(in: removeField("Replaces") ?? "")
    for field in ["MD5sum", "SHA1", "SHA512", "Description-md5", "Status"] {
      _ = removeField(field)
    }
    // apt appends the language to the field's name.
    for field in fields.keys.filter({ $0 == "Description" || $0.hasPrefix("Description-") })
      .sorted()
    {
      guard let text = removeField(field), details.title.isEmpty else { continue }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      details.title = Sanitised.line(lines[0])
      let rest = lines.dropFirst().map { $0.drop { $0 == " " } }.map { $0 == "." ? "" : $0 }
      details.description = Sanitised.text(
        rest.joined(separator: "\n"), limit: Self.longestText)
    }
    for (field, value) in fields.sorted(by: { $0.key < $1.key }).prefix(Self.mostFields) {
      details.otherFields[Sanitised.line(field, limit: 60)] = Sanitised.text(
        value, limit: Self.longestField)
    }
  }

  /// Returns the fields with their continuation lines.
  private static func fields(of stanza: StatusFile.Stanza) -> [String: String] {
    var fields: [String: String] = [:]
    var last: String?
    for line in stanza.lines {
      if line.first == " " || line.first == "\t" {
        if let last { fields[last, default: ""] += "\n" + line.dropFirst() }
      } else if let colon = line.firstIndex(of: ":") {
        let name = String(line[..<colon])
        last = fields[name] == nil ? name : nil
        guard last != nil else { continue }
        fields[name] = String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
      }
    }
    return fields
  }

  /// Returns the packages named in a relation field, each once.
  private static func names(in relations: String) -> [String] {
    var names: [String] = []
    var known: Set<Substring> = []
    for part in relations.split(whereSeparator: { $0 == "," || $0 == "|" }) {
      guard names.count < mostNames else { break }
      let name = part.drop { $0.isWhitespace }.prefix { !" (:\n\t".contains($0) }
      guard Update.isPackageName(name), known.insert(name).inserted else { continue }
      names.append(String(name))
    }
    return names
  }
}
