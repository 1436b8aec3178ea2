import FoundationEssentials
import Glibc

/// The way from a path to a file: the folders in which a name decides where it leads.
struct ResolvedPath: Sendable {
  /// A folder and the name in it that matters.
  struct Place: Sendable, Hashable {
    let folder: String
    let name: String
  }

  /// One for each symbolic link on the way, then the one of the file; where the way ends early, the
  /// one of the first name that is missing.
  private(set) var places: [Place] = []
  /// The path without links, also while only the file itself is missing; nil where the way ends
  /// before.
  private(set) var end: String?
  /// Whether there is a file.
  private(set) var exists = false

  /// Follows a path, at most 40 links.
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
