import HostSystem
internal import InstallJobs

extension PackageRoot {
  /// Returns the text of dpkg's status file; nil where it cannot be read.
  ///
  /// - Parameter withNotes: Whether to merge the changes that an interrupted dpkg noted beside the
  ///   file, as the next dpkg does. Only while no process works on the database: the noted changes
  ///   are then never older than the file.
  /// - Returns: Stanzas with an empty line between them.
  func statusText(withNotes: Bool) -> String? {
    guard let text = RootFiles.text(of: statusFile, limit: 1 << 28) else { return nil }
    let notes = withNotes ? noteFiles.compactMap { RootFiles.text(of: $0) } : []
    guard !notes.isEmpty else { return text }
    var stanzas = Self.stanzas(of: text)
    for note in notes.flatMap(Self.stanzas) {
      let name = Self.field("Package", of: note)
      let architecture = Self.field("Architecture", of: note)
      stanzas.removeAll { stanza in
        guard Self.field("Package", of: stanza) == name else { return false }
        // The note of a removed package has no architecture.
        return architecture == nil || Self.field("Architecture", of: stanza) == architecture
      }
      stanzas.append(note)
    }
    return stanzas.map { $0 + "\n" }.joined(separator: "\n")
  }

  /// The numbered files in which dpkg notes each change before it merges the changes into its
  /// database, oldest first.
  var noteFiles: [String] {
    let folder = path("var/lib/dpkg/updates")
    return RootFiles.names(in: folder)
      .filter { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }.map { folder + "/" + $0 }
  }

  private static func stanzas(of text: String) -> [Substring] {
    text.split(separator: "\n\n").map { stanza in
      stanza.drop { $0 == "\n" }.dropLast(stanza.last == "\n" ? 1 : 0)
    }.filter { !$0.isEmpty }
  }

  private static func field(_ name: String, of stanza: Substring) -> Substring? {
    stanza.split(separator: "\n").first { $0.hasPrefix(name + ": ") }?.dropFirst(
      name.utf8.count + 2)
  }
}
