import CProcess
import FoundationEssentials
import Glibc
package import HostSystem
package import InstallJobs

/// Reading and writing the files of a job folder.
///
/// No function follows a symbolic link at an entry when it writes. Only the folder's owner can
/// replace an entry by a link.
extension JobFolder {
  /// Opens an entry; nil when that fails or the entry is not a regular file.
  ///
  /// Opens without blocking, because a fifo in the entry's place would block. New files have mode
  /// 0600.
  package func open(_ entry: Entry, _ flags: Int32) -> Descriptor? {
    Descriptor(opening: path(entry), flags | O_NOFOLLOW).flatMap { $0.isRegular ? $0 : nil }
  }

  /// Creates a lock file with mode 0600.
  ///
  /// Every process that can open a file can lock it, and flock(1) would create the file readable
  /// for all users.
  ///
  /// - Returns: Whether the file exists with that mode.
  package func makeLock(_ entry: Entry) -> Bool {
    guard let file = open(entry, O_RDWR | O_CREAT) else { return false }
    return fchmod(file.number, 0o600) == 0
  }

  /// Whether an entry exists.
  package func has(_ entry: Entry) -> Bool { RootFiles.exists(path(entry)) }

  /// Whether any archive of a plan is present, completely or in part.
  package func hasArchive(of plan: JobPlan) -> Bool {
    let wanted = Set(plan.archives.values.lazy.map(\.fileName))
    let folder = path(.archives)
    return [folder, folder + "/partial"].contains { place in
      RootFiles.names(in: place).contains(where: wanted.contains)
    }
  }

  /// The text of an entry, of at most 16 MiB; empty when the entry does not exist.
  package func text(of entry: Entry) -> String {
    let content = RootFiles.bytes(of: path(entry), limit: 1 << 24, followsLink: false)
    return content.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Decodes a JSON entry; nil when the entry is missing or cannot be decoded.
  package func value<Value: Decodable>(_ type: Value.Type, of entry: Entry) -> Value? {
    guard let content = RootFiles.bytes(of: path(entry), limit: 1 << 26, followsLink: false)
    else { return nil }
    return try? JSONDecoder().decode(type, from: Data(content))
  }

  /// Writes a JSON entry atomically and flushes it to the disk.
  package func write(_ value: some Encodable, to entry: Entry) -> Bool {
    guard let content = try? JSONEncoder().encode(value) else { return false }
    return writeWhole(Array(content), to: entry)
  }

  /// Writes an entry atomically and flushes it to the disk.
  ///
  /// - Parameters:
  ///   - content: The whole content.
  ///   - entry: The entry; an existing file is replaced.
  ///   - mode: The file's mode.
  ///   - sharesWithOwner: Whether a file that root writes is given to the folder's owner.
  /// - Returns: Whether it was written.
  package func writeWhole(
    _ content: [UInt8], to entry: Entry, mode: UInt32 = 0o600, sharesWithOwner: Bool = false
  ) -> Bool {
    RootFiles.replace(path(entry), with: content, mode: mode) { file in
      if sharesWithOwner { shareWithOwner(file) }
      return true
    }
  }

  /// Appends one JSON value as a line.
  package func append(_ value: some Encodable, to entry: Entry) {
    guard let content = try? JSONEncoder().encode(value),
      let file = open(entry, O_WRONLY | O_APPEND | O_CREAT)
    else { return }
    _ = file.write(Array(content) + [0x0A])
  }

  /// Appends one line of text.
  package func append(line: String, to entry: Entry) -> Bool {
    guard let file = open(entry, O_WRONLY | O_APPEND | O_CREAT) else { return false }
    return file.write(Array(line.utf8) + [0x0A])
  }

  /// Creates an entry with a text, atomically; fails when the entry exists.
  ///
  /// - Returns: Whether this call created the entry.
  package func create(_ entry: Entry, _ content: String) -> Bool {
    create(entry, Array(content.utf8), sharesWithOwner: true)
  }

  /// Creates an entry with a JSON value, atomically; fails when the entry exists.
  ///
  /// - Returns: Whether this call created the entry.
  package func create(_ entry: Entry, value: some Encodable) -> Bool {
    guard let content = try? JSONEncoder().encode(value) else { return false }
    return create(entry, Array(content), sharesWithOwner: false)
  }

  private func create(_ entry: Entry, _ content: [UInt8], sharesWithOwner: Bool) -> Bool {
    let draft = path(entry) + ".\(getpid())"
    unsafe unlink(draft)
    guard let file = Descriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) else {
      return false
    }
    defer { unsafe unlink(draft) }
    if sharesWithOwner { shareWithOwner(file) }
    guard file.write(content) else { return false }
    return unsafe link(draft, path(entry)) == 0
  }

  // The worker of an engine without root's rights must be able to read files that root has written.
  private func shareWithOwner(_ file: Descriptor) {
    guard geteuid() == 0, let owner = RootFiles.status(path)?.owner, owner != 0 else { return }
    fchown(file.number, owner, owner)
  }

  package func remove(_ entry: Entry) { unsafe unlink(path(entry)) }

  /// Runs a closure while the gate's lock keeps every new call of dpkg waiting.
  ///
  /// For the worker, which may block. The engine uses ``GateLock``, because any process that can
  /// open the gate can hold its lock for any time.
  package func whileGateIsLocked<Value>(_ body: () -> Value) -> Value? {
    guard let file = open(.gate, O_WRONLY | O_CREAT | O_APPEND), file_lock(file.number, 1) == 0
    else { return nil }
    return withExtendedLifetime(file, body)
  }
}
