import Glibc
import InstallJobs
import PackageTools

/// Local archives that clients brought, by their hash: a path that a client names is never opened.
actor ArchiveStore {
  /// The most bytes of one piece.
  private static let largestPiece = 524_288
  /// The most uploads of one archive at a time; the oldest gives way.
  private static let mostParts = 4

  /// An upload that is under way.
  private struct Part {
    let path: String
    var length: Int64
  }

  private let folder: String
  /// Uploads under way by hash, oldest first: two clients that bring the same archive do not write
  /// into one file.
  private var parts: [String: [Part]] = [:]
  private var nextPart = 0

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
    guard let part = try append(bytes, at: offset, of: archive) else { return nil }
    // The part is out of the table: while it is read, nobody writes to it.
    guard await FileDigest.sha256(of: part) == archive.sha256 else {
      unsafe unlink(part)
      throw InstallationError(
        .hashMismatch, "\(archive.fileName) arrived damaged", class: .transient,
        hint: "submit it again")
    }
    guard unsafe rename(part, whole) == 0 else {
      let error = Self.cannotStore(archive)
      unsafe unlink(part)
      throw error
    }
    return whole
  }

  /// Removes an archive that no job needs any more.
  nonisolated func remove(_ archive: LocalArchive) {
    guard Self.isHash(archive.sha256) else { return }
    unsafe unlink("\(folder)/\(archive.sha256).deb")
  }

  /// Appends to the upload that has come as far as `offset`; a new one begins at 0.
  ///
  /// - Returns: The path of the upload when it is complete and on the disk.
  private func append(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive
  ) throws(InstallationError) -> String? {
    var open = parts[archive.sha256] ?? []
    defer { parts[archive.sha256] = open.isEmpty ? nil : open }
    if offset == 0 {
      if open.count == Self.mostParts { unsafe unlink(open.removeFirst().path) }
      nextPart += 1
      open.append(Part(path: "\(folder)/\(archive.sha256).\(nextPart).part", length: 0))
    }
    guard
      let index = offset == 0
        ? open.indices.last : open.firstIndex(where: { $0.length == offset })
    else { throw Self.outOfOrder(archive) }
    var part = open.remove(at: index)
    do throws(InstallationError) {
      part.length += Int64(bytes.count)
      try write(bytes, at: offset, to: part.path, archive, isLast: part.length == archive.size)
    } catch {
      unsafe unlink(part.path)
      throw error
    }
    if part.length == archive.size { return part.path }
    open.insert(part, at: index)
    return nil
  }

  private func write(
    _ bytes: [UInt8], at offset: Int64, to path: String, _ archive: LocalArchive, isLast: Bool
  ) throws(InstallationError) {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (offset == 0 ? O_TRUNC : 0)
    let file = unsafe open(path, flags, 0o600)
    guard file >= 0 else { throw Self.cannotStore(archive) }
    defer { close(file) }
    guard Int64(lseek(file, 0, SEEK_END)) == offset else { throw Self.outOfOrder(archive) }
    let written = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(file, $0.baseAddress, $0.count)
    }
    guard written == bytes.count, !isLast || fsync(file) == 0 else {
      throw Self.cannotStore(archive)
    }
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
