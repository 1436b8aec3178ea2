import Glibc
import InstallJobs
import JobClient

/// A package archive named on the command line: read here, sent over the wire.
struct LocalFile {
  private static let piece = 262_144
  private let path: String
  private let bytes: [UInt8]

  /// Whether an argument names a file rather than a package.
  static func isPath(_ argument: String) -> Bool {
    argument.hasPrefix("./") || argument.hasPrefix("../") || argument.hasPrefix("/")
      || argument.hasSuffix(".deb")
  }

  /// Reads a file.
  ///
  /// - Throws: `badArchive` for a file that is missing, unreadable, or no archive.
  init(_ path: String) throws(InstallationError) {
    self.path = path
    guard let bytes = Self.read(path) else {
      throw InstallationError(
        .badArchive, "cannot read '\(path)'", class: .fatal, hint: "check the path")
    }
    guard bytes.starts(with: "!<arch>\n".utf8) else {
      throw InstallationError(
        .badArchive, "'\(path)' is not a Debian package archive", class: .fatal,
        hint: "check the file with 'dpkg-deb --info'")
    }
    self.bytes = bytes
  }

  /// Sends the file to the engine.
  ///
  /// - Returns: The update that the engine found in it.
  func upload(to backend: EngineBackend) async throws(InstallationError) -> Update {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let archive = LocalArchive(
      fileName: name, sha256: SHA256.hexadecimal(of: bytes), size: Int64(bytes.count))
    var offset = 0
    while true {
      let end = min(bytes.count, offset + Self.piece)
      let update = try await backend.upload(
        Array(bytes[offset..<end]), at: Int64(offset), of: archive)
      if let update { return update }
      guard end > offset, end < bytes.count else {
        throw InstallationError(
          .badArchive, "the engine did not take '\(path)'", class: .transient,
          hint: "submit it again")
      }
      offset = end
    }
  }

  private static func read(_ path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe Glibc.read(file, $0.baseAddress, $0.count)
      }
      guard count >= 0 else { return nil }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
