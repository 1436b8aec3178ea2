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
    let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    guard let file = Descriptor(unsafe Glibc.open(path(entry), flags, mode_t(0o600))),
      RootFiles.isRegular(file.number)
    else { return nil }
    return file
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
    let (target, draft) = (path(entry), path(entry) + ".new")
    unsafe unlink(draft)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    guard let file = Descriptor(unsafe Glibc.open(draft, flags, mode)) else { return false }
    if sharesWithOwner { shareWithOwner(file) }
    guard Self.append(content, to: file), fsync(file.number) == 0,
      unsafe rename(draft, target) == 0
    else { return false }
    if let folder = Descriptor(unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
      fsync(folder.number)
    }
    return true
  }

  /// Appends one JSON value as a line.
  package func append(_ value: some Encodable, to entry: Entry) {
    guard let content = try? JSONEncoder().encode(value),
      let file = open(entry, O_WRONLY | O_APPEND | O_CREAT)
    else { return }
    _ = Self.append(Array(content) + [0x0A], to: file)
  }

  /// Appends one line of text.
  package func append(line: String, to entry: Entry) -> Bool {
    guard let file = open(entry, O_WRONLY | O_APPEND | O_CREAT) else { return false }
    return Self.append(Array(line.utf8) + [0x0A], to: file)
  }

  /// Creates an entry with a text, atomically; fails when the entry exists.
  ///
  /// - Returns: Whether this call created the entry.
  package func create(_ entry: Entry, _ content: String) -> Bool {
    let draft = path(entry) + ".\(getpid())"
    unsafe unlink(draft)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    guard let file = Descriptor(unsafe Glibc.open(draft, flags, mode_t(0o600))) else {
      return false
    }
    defer { unsafe unlink(draft) }
    shareWithOwner(file)
    guard Self.append(Array(content.utf8), to: file) else { return false }
    return unsafe link(draft, path(entry)) == 0
  }

  /// Creates an entry with a JSON value, atomically; fails when the entry exists.
  ///
  /// - Returns: Whether this call created the entry.
  package func create(_ entry: Entry, value: some Encodable) -> Bool {
    let draft = path(entry) + ".\(getpid())"
    guard let content = try? JSONEncoder().encode(value),
      let file = Descriptor(
        unsafe Glibc.open(
          draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(0o600)))
    else { return false }
    defer { unsafe unlink(draft) }
    guard Self.append(Array(content), to: file) else { return false }
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

  package static func append(_ content: [UInt8], to file: Descriptor) -> Bool {
    var rest = content[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(file.number, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
