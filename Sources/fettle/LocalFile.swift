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
  /// - Throws: `badArchive` for a file that is missing, unreadable, larger than 4 GiB, or no
  ///   archive: devices and pipes are none.
  init(_ path: String) throws(InstallationError) {
    self.path = path
    bytes = try Self.read(path)
  }

  /// What an engine advises to do with the file, with the path that was typed.
  func located(in hint: String) -> String {
    guard let word = AddressedCommand.word(path) else { return hint }
    return hint.replacing(" ./\(name)'", with: " \(word)'")
  }

  private var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Sends the file to the engine.
  ///
  /// - Returns: The update that the engine found in it.
  func upload(to backend: EngineBackend) async throws(InstallationError) -> Update {
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

  /// The largest archive that is read into memory.
  private static let largest: Int64 = 4 << 30
  private static let mark = Array("!<arch>\n".utf8)

  /// Reads no more than the file had when it was opened, and nothing of what is no archive.
  private static func read(_ path: String) throws(InstallationError) -> [UInt8] {
    // Without waiting: a pipe that nobody writes to would hold the opening for ever.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { throw unreadable(path) }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw unreadable(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw notAnArchive(path) }
    let size = Int64(status.st_size)
    guard size <= largest else {
      throw InstallationError(
        .badArchive, "'\(path)' is larger than 4 GiB", class: .fatal, hint: "check the path")
    }
    var bytes = try read(file, path, upTo: mark.count)
    guard bytes == mark else { throw notAnArchive(path) }
    bytes.reserveCapacity(Int(size))
    while bytes.count < Int(size) {
      let piece = try read(file, path, upTo: min(1 << 20, Int(size) - bytes.count))
      guard !piece.isEmpty else { break }
      bytes += piece
    }
    return bytes
  }

  private static func read(
    _ file: Int32, _ path: String, upTo count: Int
  ) throws(InstallationError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let length = unsafe buffer.withUnsafeMutableBytes {
      unsafe Glibc.read(file, $0.baseAddress, $0.count)
    }
    guard length >= 0 else { throw unreadable(path) }
    return Array(buffer.prefix(length))
  }

  private static func unreadable(_ path: String) -> InstallationError {
    InstallationError(.badArchive, "cannot read '\(path)'", class: .fatal, hint: "check the path")
  }

  private static func notAnArchive(_ path: String) -> InstallationError {
    InstallationError(
      .badArchive, "'\(path)' is not a Debian package archive", class: .fatal,
      hint: "check the file with 'dpkg-deb --info'")
  }
}
