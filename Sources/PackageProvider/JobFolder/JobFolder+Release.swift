import Glibc
import HostSystem

extension JobFolder {
  /// Removes what only the work needed: archives, configuration, gate.
  ///
  /// The recording stays. Only files of known names below the folder are touched, and no link is followed.
  package func releaseWorkFiles() {
    removeTree(path(.archives))
    for entry in [
      Entry.configuration, .downloadConfiguration, .gate, .stop, .stopRoom, .stopped, .lock,
      .fetching, .arriving, .kept,
    ] {
      unsafe unlink(path(entry))
    }
  }

  /// Removes from the folder of a job that is over what its recording does not need: the settings and
  /// orders of its tools, passwords, and room that was set aside behind the ends of files.
  ///
  /// The archives stay for a retry, until the job is cleaned up.
  package func finish() {
    for entry in [Entry.work, .configuration, .downloadConfiguration, .stopRoom] { remove(entry) }
    if let recorded = value(RecordedJob.self, of: .plan), recorded.withoutSecrets != recorded {
      // Rather none than one with a password.
      if !write(recorded.withoutSecrets, to: .plan) { remove(.plan) }
    }
    for entry in [Entry.status, .dpkgStatus, .stages, .calls] { giveRoomBack(of: entry) }
    // A process that a package has left behind may still be printing.
    if value(ProcessIdentity.self, of: .started)?.session().isEmpty ?? true {
      giveRoomBack(of: .log)
    }
  }

  /// Removes the folder of a job that nobody knows any more, with everything in it; no link is
  /// followed.
  ///
  /// - Returns: Whether it is gone.
  package func removeAll() -> Bool {
    if let slash = path.lastIndex(of: "/"),
      let parent = Descriptor(
        unsafe Glibc.open(
          String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
    {
      Self.removeTree(String(path[path.index(after: slash)...]), in: parent)
    }
    return !RootFiles.linkExists(path)
  }

  private func giveRoomBack(of entry: Entry) {
    var record = stat()
    guard let file = open(entry, O_WRONLY | O_NONBLOCK), unsafe fstat(file.number, &record) == 0,
      record.st_mode & S_IFMT == S_IFREG, off_t(record.st_blocks) * 512 > record.st_size + 4096
    else { return }
    ftruncate(file.number, record.st_size)
  }

  private func removeTree(_ folder: String) {
    guard
      let place = Descriptor(
        unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
    else { return }
    Self.removeTree(folder.split(separator: "/").last.map(String.init) ?? "", in: place)
  }

  // Each folder by its descriptor: another user may own one of them, and put a link in its place.
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
