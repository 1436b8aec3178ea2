internal import Glibc
internal import HostSystem

/// Copies of programs and of the libraries that they run on, in a folder of their own below `/tmp`.
struct ProgramCopies: Sendable {
  private var folder: String?
  private var names: Set<String> = []

  /// The path of a program's copy, which is made at the first call; nil where it cannot be made.
  ///
  /// `fettle` starts the `fettled` beside it, so both are copied together.
  mutating func path(of name: String) -> String? {
    guard let folder = folder ?? makeFolder() else { return nil }
    for name in Set(["fettle", "fettled", name]) where !names.contains(name) {
      guard
        RootFiles.copy(
          NeighbourPrograms.folder + "/" + name, to: folder + "/" + name, mode: 0o755, isNew: true)
      else {
        continue
      }
      names.insert(name)
    }
    return names.contains(name) ? folder + "/" + name : nil
  }

  /// Removes the folder with everything in it.
  mutating func remove() {
    guard let folder else { return }
    for name in names { unsafe unlink(folder + "/" + name) }
    unsafe rmdir(folder)
    self.folder = nil
    names = []
  }

  private mutating func makeFolder() -> String? {
    var template = Array("/tmp/fettle-programs-XXXXXX".utf8CString)
    let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
    }
    guard isMade else { return nil }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    folder = path
    atexit { NeighbourPrograms.removeCopies() }
    unsafe chmod(path, 0o755)
    // Programs look for libraries beside themselves, too ($ORIGIN).
    for library in OpenFile.loadedLibraries where !OpenFile.isOpen(library) {
      let name = library.split(separator: "/").last.map(String.init) ?? library
      if RootFiles.copy(library, to: path + "/" + name, mode: 0o755, isNew: true) {
        names.insert(name)
      }
    }
    return path
  }
}
