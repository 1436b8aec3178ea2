import Glibc
import HostSystem
import PackageProvider

/// apt's `history.log` of a root, corrected after a stop between two packages.
///
/// apt treats a stop as a failure of dpkg: it writes an `Error:` line, and its lists name every
/// planned package. After the correction the entry has no `Error:` line, and its lists name only
/// the packages that were changed. The worker corrects it under the package lock and replaces the
/// file atomically.
struct AptHistory: Sendable {
  /// File size in bytes above which the file is left as it is.
  private static let limit: Int64 = 64 << 20

  private let path: String
  private let start: Int64

  /// Remembers the file's present end.
  ///
  /// - Parameter adminDirectory: The folder of dpkg's database. The log is expected at its default
  ///   place in the same root; where the root's settings name another place, nothing is changed.
  init(adminDirectory: String) {
    path = adminDirectory + "/../../log/apt/history.log"
    start = RootFiles.status(path)?.size ?? 0
  }

  /// Corrects the entries written since this value's creation.
  ///
  /// - Parameter status: The present text of dpkg's status file.
  /// - Returns: False where the file is too large or cannot be read or written; then it stays as
  ///   apt left it.
  func correct(status: String) -> Bool {
    guard let trace = RootFiles.status(path), trace.size > start else { return true }
    guard trace.size <= Self.limit,
      let content = RootFiles.bytes(of: path, limit: Int(Self.limit), followsLink: false)
    else { return false }
    let tail = String(decoding: content[Int(start)...], as: UTF8.self)
    let corrected = Self.corrected(tail, status: status)
    guard corrected != tail else { return true }
    return replace(with: Array(content[..<Int(start)]) + Array(corrected.utf8), as: trace)
  }

  private func replace(with content: [UInt8], as trace: RootFiles.Trace) -> Bool {
    RootFiles.replace(path, with: content, draft: path + ".fettle-new") { file in
      var record = stat()
      return unsafe lstat(path, &record) == 0 && record.st_mode & S_IFMT == S_IFREG
        && fchown(file.number, record.st_uid, record.st_gid) == 0
        && fchmod(file.number, record.st_mode & 0o777) == 0
    }
  }

  /// Returns the entries without the `Error:` line, and with only the packages that were changed.
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

  /// The versions of installed packages, from dpkg's status file.
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
      // apt's log names the native architecture for packages with architecture `all`.
      let known = versions[item.name]
      return known?[item.architecture] ?? known?["all"]
    }
  }
}

extension Substring {
  /// Splits a list at `), `; each item keeps its closing parenthesis.
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
