import Glibc
import InstallJobs
import PackageTools

/// Local archives that clients brought, by their hash: a path that a client names is never opened.
actor ArchiveStore {
  /// The most bytes of one piece.
  private static let largestPiece = 524_288
  private let folder: String

  init(folder: String) { self.folder = folder }

  /// Appends a piece to an archive.
  ///
  /// - Returns: The path of the archive when it is complete and its hash is right.
  /// - Throws: `invalidArgument` for a piece out of order or too large, `hashMismatch`, `noSpace`.
  func store(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive
  ) async throws(InstallationError) -> String? {
    // In this order: offset and size are a stranger's numbers, and their sum may overflow.
    guard bytes.count <= Self.largestPiece, offset >= 0, archive.size >= Int64(bytes.count),
      offset <= archive.size - Int64(bytes.count), Self.isHash(archive.sha256)
    else { throw Self.outOfOrder(archive) }
    let whole = "\(folder)/\(archive.sha256).deb"
    if unsafe access(whole, R_OK) == 0 { return whole }
    unsafe mkdir(folder, 0o700)
    let part = "\(folder)/\(archive.sha256).part"
    let length = try append(bytes, at: offset, to: part, archive)
    guard length == archive.size else { return nil }
    guard await FileDigest.sha256(of: part) == archive.sha256 else {
      unsafe unlink(part)
      throw InstallationError(
        .hashMismatch, "\(archive.fileName) arrived damaged", class: .transient,
        hint: "submit it again")
    }
    unsafe rename(part, whole)
    return whole
  }

  private func append(
    _ bytes: [UInt8], at offset: Int64, to path: String, _ archive: LocalArchive
  ) throws(InstallationError) -> Int64 {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (offset == 0 ? O_TRUNC : 0)
    let file = unsafe open(path, flags, 0o600)
    guard file >= 0 else { throw Self.cannotStore(archive) }
    defer { close(file) }
    guard Int64(lseek(file, 0, SEEK_END)) == offset else { throw Self.outOfOrder(archive) }
    let written = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw Self.cannotStore(archive) }
    return offset + Int64(written)
  }

  private static func reason(_ number: Int32) -> String {
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
  }

  private static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func outOfOrder(_ archive: LocalArchive) -> InstallationError {
    InstallationError(
      .invalidArgument, "a piece of \(archive.fileName) came out of order", class: .fatal,
      hint: "submit it again")
  }

  private static func cannotStore(_ archive: LocalArchive) -> InstallationError {
    InstallationError(
      .noSpace, "cannot store \(archive.fileName): \(Self.reason(errno))",
      hint: "make room in the engine's state folder")
  }
}
