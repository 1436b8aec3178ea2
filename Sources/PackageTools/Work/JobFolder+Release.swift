import Glibc

extension JobFolder {
  /// Removes what only the work needed: archives, configuration, gate.
  ///
  /// The recording stays. Only files of known names below the folder are touched, and no link is followed.
  package func releaseWorkFiles() {
    removeTree(path(.archives))
    for entry in [Entry.configuration, .gate, .stop, .stopped, .lock] {
      unsafe unlink(path(entry))
    }
  }

  private func removeTree(_ folder: String) {
    guard let directory = unsafe opendir(folder) else { return }
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
      let path = "\(folder)/\(child.name)"
      if child.isFolder { removeTree(path) } else { unsafe unlink(path) }
    }
    unsafe rmdir(folder)
  }
}
