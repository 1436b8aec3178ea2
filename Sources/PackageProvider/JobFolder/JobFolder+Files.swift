package import CProcess
import FoundationEssentials
import Glibc
package import HostSystem
package import InstallJobs

/// Reading and writing the files of a job folder: only its owner can make any of them a link, and none
/// is written through one.
extension JobFolder {
  /// Opens an entry; nil when that fails, or when it is not a regular file: a fifo in its place would
  /// be waited for.
  ///
  /// New files are for their owner only.
  package func open(_ entry: Entry, _ flags: Int32) -> Descriptor? {
    let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    guard let file = Descriptor(unsafe Glibc.open(path(entry), flags, mode_t(0o600))),
      RootFiles.isRegular(file.number)
    else { return nil }
    return file
  }

  /// Makes a file that is there to be locked, closed to other users: whoever can open a file can lock
  /// it, and flock(1) would make it for everybody to read.
  ///
  /// - Returns: Whether it is there and closed.
  package func makeLock(_ entry: Entry) -> Bool {
    guard let file = open(entry, O_RDWR | O_CREAT) else { return false }
    return fchmod(file.number, 0o600) == 0
  }

  /// Whether an entry exists.
  package func has(_ entry: Entry) -> Bool { RootFiles.exists(path(entry)) }

  /// Whether any archive of a plan is there, whole or in part.
  package func hasArchive(of plan: JobPlan) -> Bool {
    let wanted = Set(plan.archives.values.lazy.map(\.fileName))
    let folder = path(.archives)
    return [folder, folder + "/partial"].contains { place in
      RootFiles.names(in: place).contains(where: wanted.contains)
    }
  }

  /// The text of an entry of at most 16 MB; empty when it does not exist.
  package func text(of entry: Entry) -> String {
    let content = RootFiles.bytes(of: path(entry), limit: 1 << 24, followsLink: false)
    return content.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Reads a JSON entry; nil when it is absent or is not one.
  package func value<Value: Decodable>(_ type: Value.Type, of entry: Entry) -> Value? {
    guard let content = RootFiles.bytes(of: path(entry), limit: 1 << 26, followsLink: false)
    else { return nil }
    return try? JSONDecoder().decode(type, from: Data(content))
  }

  /// Writes a JSON entry completely or not at all, and onto the disk.
  package func write(_ value: some Encodable, to entry: Entry) -> Bool {
    guard let content = try? JSONEncoder().encode(value) else { return false }
    return writeWhole(Array(content), to: entry)
  }

  /// Writes an entry completely or not at all, and onto the disk.
  ///
  /// - Parameters:
  ///   - content: The whole content.
  ///   - entry: The entry, which may be there already.
  ///   - mode: Its mode.
  ///   - sharesWithOwner: Whether the folder's owner may read it, where root writes it.
  /// - Returns: Whether it was written.
  package func writeWhole(
    _ content: [UInt8], to entry: Entry, mode: mode_t = 0o600, sharesWithOwner: Bool = false
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

  /// Creates an entry with a text, which must not exist yet: it appears with its whole content.
  ///
  /// - Returns: Whether it was created by this call.
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

  /// Creates an entry with a JSON value, which must not exist yet: it appears with its content.
  ///
  /// - Returns: Whether it was created by this call.
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

  // The worker of an engine that has dropped its rights must be able to read what root has written.
  private func shareWithOwner(_ file: Descriptor) {
    guard geteuid() == 0, let owner = RootFiles.trace(path)?.owner, owner != 0 else { return }
    fchown(file.number, owner, owner)
  }

  package func remove(_ entry: Entry) { unsafe unlink(path(entry)) }

  /// Does something while the gate lets no call of dpkg begin.
  ///
  /// For the worker, which has nothing else to do. The engine uses ``GateLock``, because whatever can
  /// open the gate can hold its lock for as long as it pleases.
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
