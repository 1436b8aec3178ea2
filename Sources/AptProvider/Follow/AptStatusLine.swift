/// One line of apt's status descriptor (`APT::Status-Fd`).
///
/// Parsing starts from the percentage: the fields before it may contain colons (`libc6:i386`), and
/// the message behind it may contain any text and is translated. The percentage starts again at 0
/// for the installation and never reaches 100, so it is not used as progress.
package enum AptStatusLine: Sendable, Hashable {
  /// A download is in progress.
  case download
  /// Work on a package, or `dpkg-exec`.
  case work(package: String)
  /// A failure of a package, or of the archive with this path.
  case error(subject: String, text: String)
  /// A question about a configuration file.
  case conffile(path: String)
  /// apt asks for another medium.
  case mediaChange(medium: String, drive: String)

  /// Parses one line without its line feed; nil for a line of another form.
  package init?(_ line: some StringProtocol) {
    let line = Substring(line)
    if let rest = line.after("media-change: ") {
      let fields = rest.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return nil }
      self = .mediaChange(medium: String(fields[0]), drive: String(fields[1]))
      return
    }
    guard let (kind, rest) = line.split(at: ":"), let (subject, text) = Self.atPercent(rest) else {
      return nil
    }
    switch kind {
    case "dlstatus": self = .download
    case "pmstatus": self = .work(package: String(subject))
    case "pmerror": self = .error(subject: String(subject), text: String(text))
    case "pmconffile": self = .conffile(path: String(subject))
    default: return nil
    }
  }

  // The first `:digits.4digits:` ends the subject.
  private static func atPercent(_ text: Substring) -> (Substring, Substring)? {
    var colons = text.indices.filter { text[$0] == ":" }[...]
    while let first = colons.popFirst(), let second = colons.first {
      let field = text[text.index(after: first)..<second]
      let halves = field.split(separator: ".", omittingEmptySubsequences: false)
      let isPercent =
        halves.count == 2 && !halves[0].isEmpty && halves[1].count == 4
        && field.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
      if isPercent { return (text[..<first], text[text.index(after: second)...]) }
    }
    return nil
  }
}
