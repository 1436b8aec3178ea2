import InstallJobs
import JobClient

/// A package archive named on the command line, which this program reads and uploads to the engine.
struct LocalFile {
  private let file: ArchiveFile

  /// Whether an argument names a file rather than a package.
  static func isPath(_ argument: String) -> Bool {
    argument.hasPrefix("./") || argument.hasPrefix("../") || argument.hasPrefix("/")
      || argument.hasSuffix(".deb")
  }

  /// Reads a file; see ``ArchiveFile/init(at:)``.
  init(_ path: String) throws(InstallationError) { file = try ArchiveFile(at: path) }

  /// Returns an engine's hint with the path that the user typed in place of the file name.
  func located(in hint: String) -> String {
    guard let word = AddressedCommand.word(file.path) else { return hint }
    return hint.replacing(" ./\(file.archive.fileName)'", with: " \(word)'")
  }

  /// Sends the file to the engine.
  ///
  /// - Returns: The update that the engine found in it.
  func upload(to session: UpdateSession) async throws(InstallationError) -> Update {
    try await session.upload(file)
  }
}
