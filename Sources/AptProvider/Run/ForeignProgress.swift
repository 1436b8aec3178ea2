import Glibc
import HostSystem

/// What a foreign run of dpkg does while a job waits for its lock, by the lines that dpkg adds to its
/// log (`dpkg.log`, dpkg(1) option `--log`).
///
/// Another holder of the lock is another run: it begins anew.
package struct ForeignProgress {
  private let path: String
  private var offset: Int64
  /// Packages that were seen in the middle of their own work.
  private var begun: Set<String> = []
  private var done: Set<String> = []
  /// The package whose triggers run: it passes the same states, and nothing of it is installed.
  private var triggered: Substring?
  private var last: String?

  /// Begins with what is written from now on: older lines may be another run's.
  package init(log path: String) {
    self.path = path
    offset = Self.length(of: path)
  }

  /// What it does now, as `configures libfoo, 12 packages done`; nil while nothing was heard of it.
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
      // Said again after triggers, also of packages that had nothing else done to them.
      if begun.contains(package) { done.insert(package) }
      last = "is done with \(package)"
    default: break
    }
  }

  /// Whole lines since the last look; of very many only the last ones.
  private mutating func newLines() -> [Substring] {
    let length = Self.length(of: path)
    // Rotated, or cut: the new file is this run's from its begin.
    if length < offset { offset = 0 }
    guard length > offset else { return [] }
    offset = max(offset, length - Self.most)
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: Int(length - offset))
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(file, $0.baseAddress, $0.count, off_t(offset))
    }
    guard count > 0, let end = bytes.prefix(count).lastIndex(of: 0x0a) else { return [] }
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
