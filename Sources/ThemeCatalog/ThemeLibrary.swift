import Canvas
import FoundationEssentials

/// All themes that can be called by name: those of the program and those in folders.
package struct ThemeLibrary: Sendable {
  /// Where a theme comes from.
  package enum Origin: Sendable, Hashable {
    /// The program brings it.
    case program
    /// The file at this path.
    case file(String)
  }

  /// A theme on the shelf.
  package struct Entry: Sendable {
    /// What it is called by: the file's name without its ending.
    package let name: String
    /// Where it comes from.
    package let origin: Origin
    /// What came of reading it.
    package let reading: ThemeCatalog.Reading
  }

  /// The most files of one folder that are looked at.
  private static let mostFiles = 500
  private let folders: [String]
  private let requiresTrust: Bool

  /// - Parameters:
  ///   - folders: Folders with theme files, the strongest first; they need not exist. All of them go
  ///     before the program.
  ///   - requiresTrust: Whether root refuses files that another user can change. Not where a file is
  ///     only measured and configures nothing.
  package init(folders: [String], requiresTrust: Bool = true) {
    self.folders = folders
    self.requiresTrust = requiresTrust
  }

  /// The program's themes in their order, then those of the folders in alphabetical order.
  ///
  /// A file with the name of one of the program's themes stands in its place.
  package var entries: [Entry] {
    var names = ThemeCatalog.names
    var more: Set<String> = []
    for folder in folders {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for file in files.sorted().prefix(Self.mostFiles) where file.hasSuffix(".toml") {
        let name = String(file.dropLast(5))
        if Self.isName(name), !names.contains(name) { more.insert(name) }
      }
    }
    names += more.sorted()
    return names.compactMap { name in
      reading(name).map { Entry(name: name, origin: origin(of: name) ?? .program, reading: $0) }
    }
  }

  /// Where a theme comes from; nil for a name that is not on the shelf.
  ///
  /// A word with a slash, or with the ending `.toml`, is a path; a name is never looked for in the
  /// working folder.
  package func origin(of nameOrPath: String) -> Origin? {
    if nameOrPath.contains("/") || nameOrPath.hasSuffix(".toml") { return .file(nameOrPath) }
    let files = candidates(of: nameOrPath)
    if let file = files.first(where: { FileManager.default.fileExists(atPath: $0) }) {
      return .file(file)
    }
    return ThemeCatalog.names.contains(nameOrPath) ? .program : nil
  }

  /// Reads a theme; nil for a name that is not on the shelf.
  ///
  /// A theme inherits from what lies beside it, then from these folders, then from the program.
  package func reading(_ nameOrPath: String) -> ThemeCatalog.Reading? {
    switch origin(of: nameOrPath) {
    case nil:
      nil
    case .program:
      ThemeCatalog.reading(named: nameOrPath)
    case .file(let path):
      ThemeCatalog.load(path: path, folders: folders, requiresTrust: requiresTrust)
    }
  }

  /// The files that a theme is looked for in, the strongest first; they need not exist.
  package func candidates(of nameOrPath: String) -> [String] {
    if nameOrPath.contains("/") || nameOrPath.hasSuffix(".toml") { return [nameOrPath] }
    guard Self.isName(nameOrPath) else { return [] }
    return folders.map { "\($0)/\(nameOrPath).toml" }
  }

  /// The names, for a sentence that tells which ones there are.
  package var names: [String] { entries.map(\.name) }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64 && !text.hasPrefix(".")
      && text.utf8.allSatisfy { byte in
        let scalar = Unicode.Scalar(byte)
        return scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
          || "-_.".unicodeScalars.contains(scalar)
      }
  }
}
