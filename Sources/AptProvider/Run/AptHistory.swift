import Glibc
import HostSystem
import PackageProvider

/// apt's `history.log` of a root, put right after a stop between two packages.
///
/// To apt a stop is a failure of dpkg: it writes an `Error:` line, and its lists name every package
/// that it was about to work on. Afterwards the entry has no such line, and its lists name what was
/// done. Written under the package lock only, as a whole file that takes the place of the old one.
struct AptHistory: Sendable {
  /// Bytes above which the file is left as it is.
  private static let limit: Int64 = 64 << 20

  private let path: String
  private let start: Int64

  /// Begins at the file's present end.
  ///
  /// - Parameter adminDirectory: dpkg's database, whose root has the log in its place by default; where
  ///   the root's settings name another place, nothing is changed.
  init(adminDirectory: String) {
    path = adminDirectory + "/../../log/apt/history.log"
    start = RootFiles.trace(path)?.size ?? 0
  }

  /// Corrects what has been written since the beginning.
  ///
  /// - Parameter status: The text of dpkg's status file as it is now.
  /// - Returns: Whether the file is as it should be; false where it cannot be written, and then it
  ///   stays as apt has left it.
  func correct(status: String) -> Bool {
    guard let trace = RootFiles.trace(path), trace.size > start else { return true }
    guard trace.size <= Self.limit,
      let content = RootFiles.bytes(of: path, limit: Int(Self.limit), followsLink: false)
    else { return false }
    let tail = String(decoding: content[Int(start)...], as: UTF8.self)
    let corrected = Self.corrected(tail, status: status)
    guard corrected != tail else { return true }
    return replace(with: Array(content[..<Int(start)]) + Array(corrected.utf8), as: trace)
  }

  private func replace(with content: [UInt8], as trace: RootFiles.Trace) -> Bool {
    let draft = path + ".fettle-new"
    unsafe unlink(draft)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    guard let file = Descriptor(unsafe open(draft, flags, mode_t(0o600))) else { return false }
    var record = stat()
    let isWritten =
      unsafe lstat(path, &record) == 0 && record.st_mode & S_IFMT == S_IFREG
      && fchown(file.number, record.st_uid, record.st_gid) == 0
      && fchmod(file.number, record.st_mode & 0o777) == 0
      && JobFolder.append(content, to: file) && fsync(file.number) == 0
    guard isWritten, unsafe rename(draft, path) == 0 else {
      unsafe unlink(draft)
      return false
    }
    return true
  }

  /// Entries without the line of the stop, and with the packages that were worked on.
  static func corrected(_ entries: String, status: String) -> String {
    let database = Database(status: status)
    return entries.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return String(line) }
      let key = line[..<colon]
      if key == "Error" { return nil }
      guard let isDone = Self.isDone[String(key)] else { return String(line) }
      let items = line[line.index(after: colon)...].dropFirst().splitItems()
      let kept = items.filter { item in
        guard let item = Item(item) else { return true }
        return isDone(item, database)
      }
      return kept.isEmpty ? nil : "\(key): " + kept.joined(separator: ", ")
    }.joined(separator: "\n")
  }

  /// A package in a list: `NAME:ARCHITECTURE (VERSION, ...)`.
  private struct Item {
    var name: Substring
    var architecture: Substring
    var fields: [Substring]

    init?(_ text: Substring) {
      guard let blank = text.firstIndex(of: " "), text.last == ")" else { return nil }
      let parts = text[..<blank].split(separator: ":")
      guard parts.count == 2 else { return nil }
      (name, architecture) = (parts[0], parts[1])
      fields = text[blank...].dropFirst(2).dropLast().split(separator: ",").map { field in
        field.drop { $0 == " " }
      }
    }
  }

  private typealias Judgement = @Sendable (Item, Database) -> Bool

  private static let isDone: [String: Judgement] = [
    "Install": { $1.version(of: $0) == $0.fields.first },
    "Upgrade": { $1.version(of: $0) == $0.fields.last },
    "Downgrade": { $1.version(of: $0) == $0.fields.last },
    "Remove": { $1.version(of: $0) == nil },
    "Purge": { $1.version(of: $0) == nil },
  ]

  /// The versions of installed packages by dpkg's status file.
  private struct Database {
    private var versions: [Substring: [Substring: Substring]] = [:]

    init(status: String) {
      var (name, architecture, version, isInstalled) =
        (Substring(), Substring(), Substring(), false)
      for line in status.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        .map({ Substring($0) }) + [""]
      {
        if line.isEmpty {
          if isInstalled { versions[name, default: [:]][architecture] = version }
          (name, architecture, version, isInstalled) = ("", "", "", false)
        } else if let value = line.after("Package: ") {
          name = value
        } else if let value = line.after("Architecture: ") {
          architecture = value
        } else if let value = line.after("Version: ") {
          version = value
        } else if let value = line.after("Status: ") {
          isInstalled = ["installed", "triggers-awaited", "triggers-pending"]
            .contains(value.split(separator: " ").last ?? "")
        }
      }
    }

    func version(of item: Item) -> Substring? {
      // apt names the native architecture for packages of all.
      let known = versions[item.name]
      return known?[item.architecture] ?? known?["all"]
    }
  }
}

extension Substring {
  /// The parts of a list that is divided by `), `, each with its closing parenthesis.
  fileprivate func splitItems() -> [Substring] {
    var items: [Substring] = []
    var start = startIndex
    var index = startIndex
    while index < endIndex {
      let next = self.index(after: index)
      if self[index] == ")", self[next...].hasPrefix(", ") {
        items.append(self[start..<next])
        start = self.index(next, offsetBy: 2)
        index = start
      } else {
        index = next
      }
    }
    if start < endIndex { items.append(self[start...]) }
    return items
  }
}
