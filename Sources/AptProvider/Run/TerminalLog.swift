import Glibc
import HostSystem

/// apt's `term.log` of a root, completed with the output of dpkg and of package scripts.
///
/// dpkg prints into the job's log and not through apt's pseudo-terminal, because dpkg would not
/// survive the end of that terminal. So apt's entry in `term.log` has only a beginning and an end.
/// This type inserts the output before the end, in one write, while the worker holds the package
/// lock.
struct TerminalLog: Sendable {
  /// Maximum number of bytes of a job's log that are copied; of a longer log only the end is
  /// copied.
  private static let limit: Int64 = 16 << 20
  /// Maximum size in bytes of apt's own entry; a longer entry is left alone.
  private static let entryLimit: Int64 = 4096
  private static let ending = "Log ended: "

  private let path: String
  private let start: Int64
  private let printed: String
  private let printedStart: Int64

  /// Remembers the present ends of both files.
  ///
  /// - Parameters:
  ///   - adminDirectory: The folder of dpkg's database. The log is expected at its default place in
  ///     the same root; where the root's settings name another place, or none, nothing is written.
  ///   - log: The path of the job's log.
  init(adminDirectory: String, log: String) {
    path = adminDirectory + "/../../log/apt/term.log"
    start = RootFiles.status(path)?.size ?? 0
    printed = log
    printedStart = RootFiles.status(log)?.size ?? 0
  }

  /// Writes the output since this value's creation into the entry that apt has made since then.
  ///
  /// - Returns: False where the entry cannot be read or written.
  func complete() -> Bool {
    guard let size = RootFiles.status(path)?.size, size > start, size - start <= Self.entryLimit
    else { return true }
    let text = dpkgText
    guard !text.isEmpty else { return true }
    guard let file = Descriptor(opening: path, O_RDWR | O_NOFOLLOW), file.isRegular,
      let entry = file.read(at: start, limit: Int(size - start)), entry.count == Int(size - start)
    else { return false }
    let lines = String(decoding: entry, as: UTF8.self)
    // apt has written the output itself where it used a pseudo-terminal.
    let isEmpty = lines.split(separator: "\n").allSatisfy { line in
      line.hasPrefix("Log started: ") || line.hasPrefix(Self.ending)
    }
    guard isEmpty, let end = Self.endingIndex(in: lines) else { return true }
    let content = Array(text.utf8) + Array(lines[end...].utf8)
    return file.write(content, at: start + Int64(lines[..<end].utf8.count))
  }

  private static func endingIndex(in entry: String) -> String.Index? {
    var index = entry.startIndex
    while index < entry.endIndex, !entry[index...].hasPrefix(ending) {
      guard let next = entry[index...].firstIndex(of: "\n") else { return nil }
      index = entry.index(after: next)
    }
    return index < entry.endIndex ? index : nil
  }

  private var dpkgText: String {
    guard let size = RootFiles.status(printed)?.size, size > printedStart,
      let file = Descriptor(opening: printed, O_RDONLY | O_NOFOLLOW), file.isRegular
    else { return "" }
    let from = max(printedStart, size - Self.limit)
    guard let bytes = file.read(at: from, limit: Int(size - from)) else { return "" }
    // The part punched out of a long log reads as zeros.
    return Self.dpkgText(in: String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self))
  }

  /// Beginnings of dpkg's first line; apt's own lines before it are not in `term.log`.
  private static let beginnings = [
    "(Reading database", "Selecting previously", "Preparing to unpack", "Unpacking ", "Setting up ",
    "Removing ", "Purging configuration", "Processing triggers", "dpkg: ",
  ]

  /// Returns the lines of dpkg and of package scripts in a job's log: from dpkg's first line on,
  /// without messages of apt and of the worker.
  static func dpkgText(in log: String) -> String {
    let lines = log.split(separator: "\n", omittingEmptySubsequences: false)
    guard
      let first = lines.firstIndex(where: { line in beginnings.contains { line.hasPrefix($0) } })
    else { return "" }
    // apt prints "E: Sub-process ..." after dpkg has ended.
    let own = lines[first...].filter { line in
      !line.hasPrefix("fettle: ") && !line.hasPrefix("E: Sub-process ")
    }
    var kept = withoutStop(own)
    while kept.last?.isEmpty ?? false { kept.removeLast() }
    return kept.map { $0 + "\n" }.joined()
  }

  /// Removes dpkg's messages about an archive that a stop held back.
  ///
  /// dpkg reports such an archive as a failure, which it is not.
  private static func withoutStop(_ lines: [Substring]) -> [Substring] {
    let reason = " " + DpkgFailure.heldBack
    let opening = "dpkg: error processing archive "
    var held: Set<Substring> = []
    var kept: [Substring] = []
    for line in lines {
      guard line == reason, let last = kept.last, last.hasPrefix(opening) else {
        kept.append(line)
        continue
      }
      kept.removeLast()
      held.insert(last.dropFirst(opening.count).prefix { $0 != " " })
    }
    guard !held.isEmpty else { return lines }
    kept.removeAll { line in
      line == "dpkg: too many errors, stopping"
        || line == "Processing was halted because there were too many errors."
        || line.first == " " && held.contains(line.dropFirst())
    }
    // Drops the heading of an error list that has no entries left.
    return kept.indices.filter { index in
      kept[index] != "Errors were encountered while processing:"
        || (index + 1 < kept.endIndex && kept[index + 1].first == " ")
    }.map { kept[$0] }
  }
}
