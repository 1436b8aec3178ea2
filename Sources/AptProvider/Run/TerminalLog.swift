import Glibc
import HostSystem

/// apt's `term.log` of a root, completed with what dpkg and the scripts of packages have printed.
///
/// dpkg prints into the job's log and not through a terminal of apt's, whose end it would not survive.
/// So apt's entry has a beginning and an end, and nothing in between. Written under the package lock
/// only: the end is replaced by the text and the end, in one call.
struct TerminalLog: Sendable {
  /// Bytes of a job's log above which its beginning is left out.
  private static let limit: Int64 = 16 << 20
  /// Bytes that apt's own entry has at most.
  private static let entryLimit: Int64 = 4096
  private static let ending = "Log ended: "

  private let path: String
  private let start: Int64
  private let printed: String
  private let printedStart: Int64

  /// Begins at the files' present ends.
  ///
  /// - Parameters:
  ///   - adminDirectory: dpkg's database, whose root has the log in its place by default; where the
  ///     root's settings name another place, or none, nothing is written.
  ///   - log: The path of the job's log.
  init(adminDirectory: String, log: String) {
    path = adminDirectory + "/../../log/apt/term.log"
    start = RootFiles.trace(path)?.size ?? 0
    printed = log
    printedStart = RootFiles.trace(log)?.size ?? 0
  }

  /// Writes what has been printed since the beginning into the entry that apt has made since.
  ///
  /// - Returns: Whether the file is as it should be.
  func complete() -> Bool {
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    guard let size = RootFiles.trace(path)?.size, size > start, size - start <= Self.entryLimit
    else { return true }
    let text = dpkgText
    guard !text.isEmpty else { return true }
    guard let file = Descriptor(unsafe open(path, flags)), RootFiles.isRegular(file.number) else {
      return false
    }
    var entry = [UInt8](repeating: 0, count: Int(size - start))
    let count = unsafe entry.withUnsafeMutableBytes { buffer in
      unsafe pread(file.number, buffer.baseAddress, buffer.count, off_t(start))
    }
    guard count == entry.count else { return false }
    let lines = String(decoding: entry, as: UTF8.self)
    // With a terminal of its own apt has written the text itself.
    let isEmpty = lines.split(separator: "\n").allSatisfy { line in
      line.hasPrefix("Log started: ") || line.hasPrefix(Self.ending)
    }
    guard isEmpty, let end = Self.endingIndex(in: lines) else { return true }
    let content = Array(text.utf8) + Array(lines[end...].utf8)
    let place = off_t(start) + off_t(lines[..<end].utf8.count)
    return unsafe content.withUnsafeBytes { buffer in
      unsafe pwrite(file.number, buffer.baseAddress, buffer.count, place) == buffer.count
    }
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
    guard let size = RootFiles.trace(printed)?.size, size > printedStart,
      let file = Descriptor(
        unsafe open(printed, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)),
      RootFiles.isRegular(file.number)
    else { return "" }
    let from = max(printedStart, size - Self.limit)
    var bytes = [UInt8](repeating: 0, count: Int(size - from))
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(file.number, buffer.baseAddress, buffer.count, off_t(from))
    }
    guard count > 0 else { return "" }
    // What was taken out of a long log reads as zeros.
    return Self.dpkgText(in: String(decoding: bytes[..<count].filter { $0 != 0 }, as: UTF8.self))
  }

  /// What apt prints before dpkg begins, and of which `term.log` has nothing, ends before one of these.
  private static let beginnings = [
    "(Reading database", "Selecting previously", "Preparing to unpack", "Unpacking ", "Setting up ",
    "Removing ", "Purging configuration", "Processing triggers", "dpkg: ",
  ]

  /// The lines of dpkg and of scripts in a job's log: those from dpkg's first one on that are neither
  /// apt's messages nor the worker's.
  static func dpkgText(in log: String) -> String {
    let lines = log.split(separator: "\n", omittingEmptySubsequences: false)
    guard
      let first = lines.firstIndex(where: { line in beginnings.contains { line.hasPrefix($0) } })
    else { return "" }
    // "E: Sub-process ..." is what apt says of dpkg, once dpkg has ended.
    let own = lines[first...].filter { line in
      !line.hasPrefix("fettle: ") && !line.hasPrefix("E: Sub-process ")
    }
    var kept = withoutStop(own)
    while kept.last?.isEmpty ?? false { kept.removeLast() }
    return kept.map { $0 + "\n" }.joined()
  }

  /// The lines without what dpkg says of an archive that was held back by a stop: to dpkg that is a
  /// failure, and to nobody else.
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
    // A list of failures that names none any more.
    return kept.indices.filter { index in
      kept[index] != "Errors were encountered while processing:"
        || (index + 1 < kept.endIndex && kept[index + 1].first == " ")
    }.map { kept[$0] }
  }
}
