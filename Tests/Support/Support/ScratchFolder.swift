import FoundationEssentials

/// A folder of a test's own, removed with all it holds when the last reference goes away.
///
/// Its path is short enough for a Unix socket inside it.
package final class ScratchFolder: Sendable {
  /// The folder's absolute path.
  package let path: String

  /// The folder of the running test, made by the trait ``Testing/Trait/scratchFolder``.
  @TaskLocal package static var current: ScratchFolder?

  /// Makes a new empty folder with mode 0700.
  ///
  /// - Throws: `FixtureError` when there is no room for one.
  package init() throws { path = try TestFolder.makeTemporary(below: 60) }

  deinit { TestFolder.remove(path) }

  /// The absolute path of `name` inside the folder.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, with the folders on its way, and returns its absolute path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    let file = path(name)
    if let slash = file.lastIndex(of: "/") {
      try FileManager.default.createDirectory(
        atPath: String(file[..<slash]), withIntermediateDirectories: true)
    }
    try Data(text.utf8).write(to: URL(filePath: file))
    return file
  }

  /// The content of a file as text.
  package func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path(name))), as: UTF8.self)
  }
}
