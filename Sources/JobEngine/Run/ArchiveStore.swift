import Glibc
import HostSystem
import InstallJobs
import PackageProvider

/// The source of uploaded pieces: one connection, or one user in this process.
///
/// Pieces of different uploaders are never combined. An uploader is equal only to itself.
package final class Uploader: Sendable, Hashable {
  package init() {}

  package static func == (left: Uploader, right: Uploader) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Local archives that clients uploaded, stored by their SHA-256 hash.
///
/// The store never opens a path that a client names.
///
/// Each uploader writes to its own files, whichever hash other uploaders claim. An archive gets its
/// final name, by which jobs find it, only after its content was found to have that hash.
actor ArchiveStore {
  /// Maximum number of bytes of a piece.
  private static let largestPiece = 524_288
  /// Maximum number of unfinished uploads of an uploader; the oldest is deleted for a new one.
  private static let mostParts = 4
  private static let partEnding = ".part"
  private static let ending = ".deb"

  /// An unfinished upload.
  private struct Part {
    let path: String
    let archive: LocalArchive
    var length: Int64
  }

  private let folder: String
  /// Unfinished uploads by uploader, oldest first.
  private var parts: [Uploader: [Part]] = [:]
  private var nextPart = 0
  private let grant: @Sendable (String, SandboxAccess) -> Void
  /// Threads for `grant`, because the user database may not answer.
  private let threads = WaitingThreads(limit: 4)

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - folder: The folder of the archives.
  ///   - grant: Gives apt's sandbox user access to a file or folder; may block.
  init(
    folder: String,
    grant: @escaping @Sendable (String, SandboxAccess) -> Void = ArchiveStore.grant
  ) {
    self.folder = folder
    self.grant = grant
  }

  /// Removes the unfinished uploads of an earlier engine and the archives that no job needs.
  ///
  /// - Parameter needed: Returns the hashes of the archives that are needed; called only when there
  ///   are archives.
  /// - Throws: The errors of `needed`; no archive is removed then.
  func sweep(
    keeping needed: @Sendable () throws(InstallationError) -> Set<String>
  ) async throws(InstallationError) {
    await share([(folder, .pass)])
    let names = RootFiles.names(in: folder)
    for name in names where name.hasSuffix(Self.partEnding) { unsafe unlink("\(folder)/\(name)") }
    let whole = names.filter { $0.hasSuffix(Self.ending) }
    guard !whole.isEmpty else { return }
    let kept = try needed()
    for name in whole where !kept.contains(String(name.dropLast(Self.ending.count))) {
      unsafe unlink("\(folder)/\(name)")
    }
  }

  /// Deletes the unfinished uploads of a disconnected uploader.
  func drop(from uploader: Uploader) {
    for part in parts.removeValue(forKey: uploader) ?? [] {
      unsafe unlink(part.path)
    }
  }

  /// Appends a piece to an archive.
  ///
  /// The uploader must be dropped with ``drop(from:)`` at its end.
  ///
  /// - Returns: The path of the archive when it is complete and its hash is correct; else nil.
  /// - Throws: `invalidArgument` for a piece out of order or too large; `hashMismatch`; `noSpace`;
  ///   the errors of ``FileDigest/sha256(of:)`` when the hash cannot be checked.
  func store(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive, from uploader: Uploader
  ) async throws(InstallationError) -> String? {
    // In this order, because the client chooses offset and size and their sum may overflow.
    guard bytes.count <= Self.largestPiece, offset >= 0, archive.size >= Int64(bytes.count),
      offset <= archive.size - Int64(bytes.count), Self.isHash(archive.sha256)
    else { throw Self.outOfOrder(archive) }
    let whole = "\(folder)/\(archive.sha256)\(Self.ending)"
    if let size = Self.size(of: whole) {
      guard size == archive.size else { throw Self.wrongSize(archive, size) }
      guard RootFiles.flush(folder: folder) else { throw Self.cannotStore(archive) }
      return whole
    }
    unsafe mkdir(folder, 0o700)
    if offset == 0 { try requireRoom(for: archive) }
    guard let part = try append(bytes, at: offset, of: archive, from: uploader) else { return nil }
    // The upload is no longer in `parts`, so nothing writes to it while it is read.
    do throws(InstallationError) {
      try await check(part, of: archive)
    } catch {
      unsafe unlink(part)
      throw error
    }
    // The folder is shared each time, because the user database may not have answered before.
    await share([(folder, .pass), (part, .read)])
    guard unsafe rename(part, whole) == 0 else {
      let error = Self.cannotStore(archive)
      unsafe unlink(part)
      throw error
    }
    // The archive's name must be durable before a durable job refers to it.
    guard RootFiles.flush(folder: folder) else { throw Self.cannotStore(archive) }
    return whole
  }

  /// Throws `noSpace` when an archive is larger than the free space of the disk, before any of it
  /// is stored.
  private func requireRoom(for archive: LocalArchive) throws(InstallationError) {
    var record = statvfs()
    // A file system that reports 0 blocks does not report its free space.
    guard unsafe statvfs(folder, &record) == 0, record.f_blocks > 0 else { return }
    let (free, isHuge) = UInt64(record.f_bavail).multipliedReportingOverflow(
      by: UInt64(record.f_frsize))
    guard isHuge || UInt64(archive.size) <= free else {
      errno = ENOSPC
      throw Self.cannotStore(archive)
    }
  }

  /// The size of a regular file; nil when there is none.
  private static func size(of path: String) -> Int64? {
    var record = stat()
    guard unsafe lstat(path, &record) == 0, record.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(record.st_size)
  }

  private func check(
    _ part: String, of archive: LocalArchive
  ) async throws(InstallationError) {
    let digest: String
    do throws(InstallationError) {
      digest = try await FileDigest.sha256(of: part)
    } catch {
      throw InstallationError(
        error.code, "\(archive.fileName) could not be checked: \(error.message)",
        class: .transient, hint: "submit it again")
    }
    guard digest == archive.sha256 else {
      throw InstallationError(
        .hashMismatch, "\(archive.fileName) arrived damaged", class: .transient,
        hint: "submit it again")
    }
  }

  /// Maximum wait for the user database.
  private static let grantTimeout = Duration.seconds(2)

  /// Gives apt's sandbox user, in addition to the owner, access to files and folders of the store.
  ///
  /// Without access, apt copies the archives and downloads other archives of the same run as root.
  private func share(_ paths: [(String, SandboxAccess)]) async {
    let (grant, threads) = (grant, threads)
    let work = Task {
      await threads.run { () async -> Void in for (path, access) in paths { grant(path, access) } }
    }
    _ = await work.value(within: Self.grantTimeout)
  }

  static func grant(_ path: String, _ access: SandboxAccess) {
    guard let file = Descriptor(opening: path, O_RDONLY | O_NOFOLLOW) else { return }
    access.grant(on: file.number)
  }

  /// Removes an archive that no job needs.
  nonisolated func remove(_ archive: LocalArchive) {
    guard Self.isHash(archive.sha256) else { return }
    unsafe unlink("\(folder)/\(archive.sha256)\(Self.ending)")
  }

  /// Appends to the uploader's upload whose length is `offset`; offset 0 begins a new upload.
  ///
  /// - Returns: The path of the upload when it is complete and on the disk; else nil.
  private func append(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive, from uploader: Uploader
  ) throws(InstallationError) -> String? {
    var open = parts[uploader] ?? []
    defer { parts[uploader] = open.isEmpty ? nil : open }
    if offset == 0 {
      if open.count == Self.mostParts { unsafe unlink(open.removeFirst().path) }
      nextPart += 1
      let path = "\(folder)/\(archive.sha256).\(nextPart)\(Self.partEnding)"
      open.append(Part(path: path, archive: archive, length: 0))
    }
    guard
      let index = offset == 0
        ? open.indices.last
        : open.firstIndex(where: { $0.archive == archive && $0.length == offset })
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
    let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | (offset == 0 ? O_TRUNC : 0)
    guard let file = Descriptor(opening: path, flags) else { throw Self.cannotStore(archive) }
    guard Int64(lseek(file.number, 0, SEEK_END)) == offset else { throw Self.outOfOrder(archive) }
    guard file.write(bytes), !isLast || fsync(file.number) == 0 else {
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

  private static func wrongSize(_ archive: LocalArchive, _ size: Int64) -> InstallationError {
    InstallationError(
      .hashMismatch,
      "\(archive.fileName) is said to have \(archive.size) bytes, and the archive with its hash has"
        + " \(size)", class: .fatal,
      hint: "check the file that was named; the kept one goes with the last job that has it")
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
