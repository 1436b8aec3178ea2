import Glibc
import HostSystem

/// The progress of a foreign run of dpkg while a job waits for its lock, from the lines that dpkg
/// appends to its log (`dpkg.log`, dpkg(1) option `--log`).
///
/// Create a new value for each lock holder.
package struct ForeignProgress {
  private let path: String
  private var offset: Int64
  /// Packages whose own work has started.
  private var begun: Set<String> = []
  private var done: Set<String> = []
  /// The package whose triggers run; it passes the same states without being installed.
  private var triggered: Substring?
  private var last: String?

  /// Starts at the present end of the log, because older lines may belong to another run.
  package init(log path: String) {
    self.path = path
    offset = Self.length(of: path)
  }

  /// Reads new lines and returns the present activity, as `configures libfoo, 12 packages done`;
  /// nil before the first line.
  package mutating func read() -> String? {
    for line in newLines() { apply(line) }
    guard let last else { return nil }
    guard !done.isEmpty else { return last }
    return "\(last), \(done.count) package\(done.count == 1 ? "" : "s") done"
  }

  // `2026-01-31 23:59:59 configure libfoo:amd64 1.0 <none>`
  // `2026-01-31 23:59:59 status half-configured libfoo:amd64 1.0`
  private mutating func apply(_ line: Substring) {
    let words = line.split(separator: " ")
    guard words.count >= 5 else { return }
    switch words[2] {
    case "trigproc": triggered = words[3]
    case "install", "upgrade", "configure", "remove", "purge", "disappear": triggered = nil
    case "status": enter(words[3], package: words[4])
    default: break
    }
  }

  private mutating func enter(_ state: Substring, package named: Substring) {
    let package = Sanitised.line(named.prefix { $0 != ":" }, limit: 64)
    switch state {
    case "half-installed":
      begun.insert(package)
      last = "unpacks or removes \(package)"
    case "unpacked": begun.insert(package)
    case "half-configured" where named == triggered: last = "runs triggers of \(package)"
    case "half-configured":
      begun.insert(package)
      last = "configures \(package)"
    case "triggers-awaited", "triggers-pending": last = "is at triggers for \(package)"
    case "installed", "not-installed", "config-files":
      // dpkg logs this state again after triggers, also for packages without other work.
      if begun.contains(package) { done.insert(package) }
      last = "is done with \(package)"
    default: break
    }
  }

  /// The complete lines since the last call, from at most the last 256 KiB.
  private mutating func newLines() -> [Substring] {
    let length = Self.length(of: path)
    // The log was rotated or truncated; the new file belongs to this run from its start.
    if length < offset { offset = 0 }
    guard length > offset else { return [] }
    offset = max(offset, length - Self.most)
    guard let file = Descriptor(opening: path, O_RDONLY | O_NOFOLLOW),
      let bytes = file.read(at: offset, limit: Int(length - offset)),
      let end = bytes.lastIndex(of: 0x0a)
    else { return [] }
    offset += Int64(end + 1)
    return String(decoding: bytes.prefix(end), as: UTF8.self).split(separator: "\n")
  }

  private static let most: Int64 = 256 << 10

  private static func length(of path: String) -> Int64 {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int64(status.st_size)
  }
}
