internal import Glibc
public import InstallJobs

/// A package archive (`.deb`) of this machine, read into memory to be sent to an engine.
public struct ArchiveFile: Sendable {
  /// The path of the file.
  ///
  /// It is not sent to the engine.
  public let path: String
  /// The file name, hash and size that identify the archive at the engine.
  public let archive: LocalArchive
  fileprivate let bytes: [UInt8]

  /// Reads a file.
  ///
  /// - Parameter path: A regular file that starts like a Debian package.
  /// - Throws: `badArchive` for a file that is missing, unreadable, larger than 4 GiB, or not an
  ///   archive, including devices and pipes.
  public init(at path: String) throws(InstallationError) {
    self.path = path
    bytes = try Self.read(path)
    archive = LocalArchive(
      fileName: path.split(separator: "/").last.map(String.init) ?? path,
      sha256: SHA256.hexadecimal(of: bytes), size: Int64(bytes.count))
  }

  /// Largest size of an archive, in bytes.
  private static let largest: Int64 = 4 << 30
  private static let mark = Array("!<arch>\n".utf8)

  /// Reads the file up to its size at opening; reads only the first 8 bytes of a file that is not
  /// an archive.
  private static func read(_ path: String) throws(InstallationError) -> [UInt8] {
    // O_NONBLOCK, because open(2) of a pipe without a writer would block forever.
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
  /// Sends an archive to the engine so that a job can install it.
  ///
  /// ```swift
  /// let update = try await session.upload(ArchiveFile(at: "./tool_1.0_amd64.deb"))
  /// let result = try await session.makeInstaller().install([update])
  /// ```
  ///
  /// - Returns: The update that the engine found in the archive.
  /// - Throws: `badArchive` for content that is not a package; `noSpace`; `notPermitted`.
  public func upload(_ file: ArchiveFile) async throws(InstallationError) -> Update {
    try await upload(file.bytes, as: file.archive)
  }
}
