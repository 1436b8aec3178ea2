import Glibc
import HostSystem

extension JobFolder {
  /// Removes the files that only the work needed: archives, configuration, gate.
  ///
  /// The recording stays. Removes only entries with known names and follows no symbolic link.
  package func removeWorkFiles() {
    removeTree(path(.archives))
    for entry in [
      Entry.configuration, .downloadConfiguration, .gate, .stop, .stopRoom, .stopped, .lock,
      .fetching, .arriving, .kept,
    ] {
      unsafe unlink(path(entry))
    }
  }

  /// Removes the files of an ended job that its recording does not need.
  ///
  /// Removes settings and orders of the tools, passwords, and disk blocks reserved beyond the ends
  /// of files. The archives stay for a retry until the job is cleaned up.
  package func finish() {
    for entry in [Entry.work, .configuration, .downloadConfiguration, .stopRoom] { remove(entry) }
    if let recorded = value(RecordedJob.self, of: .plan), recorded.withoutSecrets != recorded {
      // No plan file is better than a plan file with a password.
      if !write(recorded.withoutSecrets, to: .plan) { remove(.plan) }
    }
    for entry in [Entry.status, .dpkgStatus, .stages, .calls] { releaseReservedSpace(of: entry) }
    // A process that a package's script left running may still print.
    if value(ProcessIdentity.self, of: .started)?.session().isEmpty ?? true {
      releaseReservedSpace(of: .log)
    }
  }

  /// Removes the folder of a job that no journal has, with all content; follows no symbolic link.
  ///
  /// - Returns: Whether the folder is gone.
  package func removeAll() -> Bool {
    if let slash = path.lastIndex(of: "/"),
      let parent = Descriptor(
        opening: String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    {
      Self.removeTree(String(path[path.index(after: slash)...]), in: parent)
    }
    return !RootFiles.linkExists(path)
  }

  private func releaseReservedSpace(of entry: Entry) {
    var record = stat()
    guard let file = open(entry, O_WRONLY), unsafe fstat(file.number, &record) == 0,
      record.st_mode & S_IFMT == S_IFREG, off_t(record.st_blocks) * 512 > record.st_size + 4096
    else { return }
    ftruncate(file.number, record.st_size)
  }

  private func removeTree(_ folder: String) {
    guard let place = Descriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else { return }
    Self.removeTree(folder.split(separator: "/").last.map(String.init) ?? "", in: place)
  }

  // Opens each folder by descriptor: another user may own one of them and replace it by a link.
  private static func removeTree(_ name: String, in parent: Descriptor) {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    guard let folder = Descriptor(unsafe openat(parent.number, name, flags)),
      let directory = unsafe fdopendir(dup(folder.number))
    else { return }
    defer { unsafe closedir(directory) }
    var children: [(name: String, isFolder: Bool)] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      children.append((name, unsafe entry.pointee.d_type == UInt8(DT_DIR)))
    }
    for child in children {
      if child.isFolder {
        removeTree(child.name, in: folder)
      } else {
        unsafe unlinkat(folder.number, child.name, 0)
      }
    }
    unsafe unlinkat(parent.number, name, AT_REMOVEDIR)
  }
}
