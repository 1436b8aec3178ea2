internal import Glibc
public import InstallJobs

/// A package archive on this machine, read into memory so that it can be sent to an engine.
public struct ArchiveFile: Sendable {
  /// The path it was read from; it never travels.
  public let path: String
  /// Its name, hash and size, by which the engine knows it.
  public let archive: LocalArchive
  fileprivate let bytes: [UInt8]

  /// Reads a file.
  ///
  /// - Parameter path: A regular file that begins as a Debian package does.
  /// - Throws: `badArchive` for a file that is missing, unreadable, larger than 4 GiB, or no archive:
  ///   devices and pipes are none.
  public init(at path: String) throws(InstallationError) {
    self.path = path
    bytes = try Self.read(path)
    archive = LocalArchive(
      fileName: path.split(separator: "/").last.map(String.init) ?? path,
      sha256: SHA256.hexadecimal(of: bytes), size: Int64(bytes.count))
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

extension UpdateSession {
  /// Sends an archive to the engine, so that a job can install it.
  ///
  /// ```swift
  /// let update = try await session.upload(ArchiveFile(at: "./tool_1.0_amd64.deb"))
  /// let result = try await session.makeInstaller().install([update])
  /// ```
  ///
  /// - Returns: The update that the engine found in the archive.
  /// - Throws: `badArchive` for content that is no package; `noSpace`; `notPermitted`.
  public func upload(_ file: ArchiveFile) async throws(InstallationError) -> Update {
    try await upload(file.bytes, as: file.archive)
  }
}
