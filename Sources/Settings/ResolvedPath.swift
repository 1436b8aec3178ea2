import FoundationEssentials
import Glibc

/// A path resolved step by step, with the folders in which a name decides where the path leads.
struct ResolvedPath: Sendable {
  /// A folder and the name in it that the path uses.
  struct Place: Sendable, Hashable {
    let folder: String
    let name: String
  }

  /// One place for each symbolic link in the path, then the place of the file, or of the first
  /// missing name.
  private(set) var places: [Place] = []
  /// The path without links; nil when more than its last component is missing or a link cannot be
  /// followed.
  private(set) var end: String?
  /// Whether the file exists.
  private(set) var exists = false

  /// Resolves a path, following at most 40 links.
  init(_ path: String) {
    var folder = path.hasPrefix("/") ? "/" : "."
    var parts = path.split(separator: "/").map(String.init)[...]
    var links = 0
    while let part = parts.popFirst() {
      if part == "." { continue }
      let full = folder == "/" ? "/" + part : "\(folder)/\(part)"
      var status = stat()
      guard unsafe lstat(full, &status) == 0 else {
        places.append(Place(folder: folder, name: part))
        if parts.isEmpty { end = full }
        return
      }
      if status.st_mode & S_IFMT == S_IFLNK {
        places.append(Place(folder: folder, name: part))
        links += 1
        guard links <= 40,
          let link = try? FileManager.default.destinationOfSymbolicLink(atPath: full)
        else { return }
        if link.hasPrefix("/") { folder = "/" }
        parts = link.split(separator: "/").map(String.init) + parts
      } else if parts.isEmpty {
        places.append(Place(folder: folder, name: part))
        end = full
        exists = true
      } else {
        folder = full
      }
    }
  }
}
