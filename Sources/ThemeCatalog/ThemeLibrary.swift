import Canvas
import FoundationEssentials
import HostSystem

/// All themes that have a name: the program's themes and files in theme folders.
package struct ThemeLibrary: Sendable {
  /// The origin of a theme.
  package enum Origin: Sendable, Hashable {
    /// Inside the program.
    case program
    /// The file at this path.
    case file(String)
  }

  /// A theme of the library.
  package struct Entry: Sendable {
    /// The theme's name: the file's name without `.toml`.
    package let name: String
    /// The theme's origin.
    package let origin: Origin
    /// The result of reading it.
    package let reading: ThemeCatalog.Reading
  }

  /// The most files of one folder that are read.
  private static let mostFiles = 500
  private let folders: [String]
  private let requiresTrust: Bool

  /// - Parameters:
  ///   - folders: Folders with theme files, the strongest first; they need not exist. A file in any
  ///     of them wins over the program's theme of the same name.
  ///   - requiresTrust: Whether root refuses files that another user can change. False when a file
  ///     is only measured and configures nothing.
  package init(folders: [String], requiresTrust: Bool = true) {
    self.folders = folders
    self.requiresTrust = requiresTrust
  }

  /// The program's themes in their order, then the themes of the folders in alphabetical order.
  ///
  /// A file with the name of a program's theme replaces it.
  package var entries: [Entry] {
    var names = ThemeCatalog.names
    var more: Set<String> = []
    for folder in folders {
      let files = RootFiles.names(in: folder)
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

  /// Returns the origin of a theme; nil for an unknown name.
  ///
  /// A word with a slash or with the ending `.toml` is a path; a name is never searched in the
  /// working folder.
  package func origin(of nameOrPath: String) -> Origin? {
    if nameOrPath.contains("/") || nameOrPath.hasSuffix(".toml") { return .file(nameOrPath) }
    let files = candidates(of: nameOrPath)
    if let file = files.first(where: { FileManager.default.fileExists(atPath: $0) }) {
      return .file(file)
    }
    return ThemeCatalog.names.contains(nameOrPath) ? .program : nil
  }

  /// Reads a theme; nil for an unknown name.
  ///
  /// Inherited themes are searched in the file's folder, then in the library's folders, then in the
  /// program.
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

  /// Returns the paths where a theme is searched, the strongest first; they need not exist.
  package func candidates(of nameOrPath: String) -> [String] {
    if nameOrPath.contains("/") || nameOrPath.hasSuffix(".toml") { return [nameOrPath] }
    guard Self.isName(nameOrPath) else { return [] }
    return folders.map { "\($0)/\(nameOrPath).toml" }
  }

  /// The names of all themes.
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
