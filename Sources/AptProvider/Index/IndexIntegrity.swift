internal import Glibc
import HostSystem
internal import InstallJobs

/// Finds damaged files among the package indexes of a root.
///
/// apt checks an index when it fetches it, and never again: after a power cut it takes the beginning
/// of a damaged file for the whole, and what follows for packages that do not exist (measured).
/// An answer that something is not there is therefore given only after this check. The last result
/// is kept while the files are unchanged.
actor IndexIntegrity {
  private var known: (state: String, damaged: [String])?

  /// Returns the names of the index files in the root's lists that are not what their releases name.
  ///
  /// Files without an entry in a release are damaged if they contain a zero byte. Compressed indexes
  /// are not checked.
  ///
  /// - Throws: The errors of ``FileDigest/sha256(of:)``.
  func damagedFiles(of root: PackageRoot) async throws(InstallationError) -> [String] {
    let state = RootState(of: root.indexFiles).fingerprint
    if let known, known.state == state { return known.damaged }
    let folder = root.listsDirectory
    let names = RootFiles.names(in: folder)
    let releases = names.compactMap { name in
      ["InRelease", "Release"].first { name.hasSuffix("_" + $0) }
        .map { (file: name, prefix: name.dropLast($0.count)) }
    }
    var entries: [String: [String: Entry]] = [:]
    var damaged: [String] = []
    for name in names where name.hasSuffix("_Packages") {
      let path = folder + "/" + name
      // A suite's name may be the beginning of another suite's name, so the longest prefix counts.
      let release = releases.filter { name.hasPrefix($0.prefix) }
        .max { $0.prefix.count < $1.prefix.count }
      var entry: Entry?
      if let release {
        if entries[release.file] == nil {
          let text = RootFiles.text(of: folder + "/" + release.file, limit: 1 << 24) ?? ""
          entries[release.file] = Self.entries(in: text)
        }
        // In these file names a slash is written as an underscore.
        let target = String(name.dropFirst(release.prefix.count).replacing("_", with: "/"))
        entry = entries[release.file]?[target]
      }
      let isDamaged: Bool
      if let entry {
        let size = RootFiles.status(path)?.size
        isDamaged = size != entry.size ? true : try await FileDigest.sha256(of: path) != entry.hash
      } else {
        isDamaged = Self.hasZero(in: path)
      }
      if isDamaged { damaged.append(name) }
    }
    // Files that changed meanwhile are read again the next time.
    if RootState(of: root.indexFiles).fingerprint == state { known = (state, damaged) }
    return damaged
  }

  private struct Entry {
    var hash: String
    var size: Int64
  }

  /// Reads the section `SHA256` of a `Release` file: ` HASH SIZE NAME` in each line.
  private static func entries(in text: String) -> [String: Entry] {
    var entries: [String: Entry] = [:]
    var isInside = false
    for line in text.split(separator: "\n") {
      guard line.first == " " else {
        isInside = line.hasPrefix("SHA256:")
        continue
      }
      let words = line.split(separator: " ")
      guard isInside, words.count == 3, words[0].utf8.count == 64, let size = Int64(words[1])
      else { continue }
      entries[String(words[2])] = Entry(hash: words[0].lowercased(), size: size)
    }
    return entries
  }

  private static func hasZero(in path: String) -> Bool {
    guard let file = Descriptor(opening: path, O_RDONLY | O_NOFOLLOW), file.isRegular else {
      return false
    }
    while let bytes = file.read(limit: 1 << 16), !bytes.isEmpty {
      if bytes.contains(0) { return true }
    }
    return false
  }
}

extension PackageRoot {
  /// Removes a file of the index, given by its name in the lists.
  func removeIndex(_ name: String) { unsafe unlink(listsDirectory + "/" + name) }

  /// Returns the name of the index file in this root's lists that apt says it cannot read; nil if
  /// its messages name none.
  func unreadableIndex(in complaints: [String]) -> String? {
    let marker = "Problem with MergeList "
    for text in complaints {
      guard let start = text.firstRange(of: marker)?.upperBound else { continue }
      let path = text[start...].trimmingPrefix(listsDirectory + "/")
      if RootFiles.names(in: listsDirectory).contains(String(path)) { return String(path) }
    }
    return nil
  }
}
