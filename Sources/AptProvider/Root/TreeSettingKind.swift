internal import Glibc
import HostSystem

/// The kind of a setting in a tree's apt configuration: its permitted values and their conversion.
enum TreeSettingKind: Sendable {
  case plain
  case list
  /// A proxy's URL, or `DIRECT`.
  case address
  /// A file of the tree, which apt reads.
  case file
  /// A program of the tree, which apt runs.
  case program
  /// An entry of dpkg's list of options.
  case dpkgOption

  /// Whether the setting consists only of list entries.
  var isList: Bool { self == .dpkgOption }

  /// Returns the value for apt outside of the tree; nil when the value is not permitted.
  func convertedValue(_ value: String, in root: PackageRoot) -> String? {
    guard Self.isPlain(value.utf8) else { return nil }
    switch self {
    case .plain, .list: return value
    case .address:
      let schemes = ["http://", "https://", "socks5h://"]
      return value == "DIRECT" || schemes.contains { value.hasPrefix($0) } ? value : nil
    case .file: return Self.inside(root, value)
    case .program: return Self.inside(root, value).flatMap { Self.isRoots($0, in: root) ? $0 : nil }
    case .dpkgOption: return Self.staysInside(value) ? value : nil
    }
  }

  private static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
  }

  /// Returns the path outside of the tree of one of its files, with links resolved; nil for a path
  /// that is not a file in the tree.
  ///
  /// The resolved path is checked for special characters too, because the tree chooses it.
  private static func inside(_ root: PackageRoot, _ path: String) -> String? {
    guard path.hasPrefix("/"), let file = RootFiles.resolved(root.path(String(path.dropFirst()))),
      file.hasPrefix(root.path + "/"), isPlain(file.utf8.dropFirst(root.path.utf8.count)),
      RootFiles.isFile(file)
    else { return nil }
    return file
  }

  /// Whether only root can change a program or replace it.
  private static func isRoots(_ program: String, in root: PackageRoot) -> Bool {
    var path = program
    guard unsafe access(path, X_OK) == 0 else { return false }
    while true {
      guard let trace = RootFiles.status(path), trace.owner == 0, trace.mode & 0o022 == 0 else {
        return false
      }
      guard path != root.path, let slash = path.lastIndex(of: "/") else { return true }
      path = String(path[..<slash])
    }
  }

  /// Whether an option of dpkg only controls how files are written within the tree.
  private static func staysInside(_ option: String) -> Bool {
    let filters = ["--path-exclude=", "--path-include="]
    if filters.contains(where: { option.hasPrefix($0) }) { return true }
    for word in ["--force-", "--no-force-", "--refuse-"] where option.hasPrefix(word) {
      let things = option.dropFirst(word.count)
      return things.split(separator: ",", omittingEmptySubsequences: false)
        .allSatisfy { ["unsafe-io", "overwrite", "overwrite-dir"].contains($0) }
    }
    return false
  }
}
