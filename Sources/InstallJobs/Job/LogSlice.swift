/// Cuts a log into lines, and if wanted keeps only the lines about one package.
///
/// Lines are as packages print them: hostile until control characters are removed.
///
/// dpkg runs in the C locale, so the lines that begin the work on a package are known; whatever
/// follows such a line belongs to that package until the next one.
package struct LogSlice: Sendable {
  /// Bytes kept of a line; the rest of a longer one is left out, which its end says.
  package static let lineCapacity = 65_536
  /// The end of a line of which something was left out.
  package static let cut = " [the rest of this line is left out]"
  private let package: String?
  private var isInside: Bool
  private var half = ""
  private var isCut = false

  /// - Parameter package: The package's name; nil keeps every line.
  package init(of package: String?) {
    self.package = package
    isInside = package == nil
  }

  /// Appends the next piece of the log and returns the whole lines that it completes.
  package mutating func append(_ text: String) -> [String] {
    // Scalars, since a carriage return and a line feed are one character.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    var kept: [String] = []
    for line in lines.dropLast() {
      extend(Substring(line))
      kept += end()
    }
    if let last = lines.last { extend(Substring(last)) }
    return kept
  }

  private mutating func extend(_ part: Substring) {
    guard !isCut, !part.isEmpty else { return }
    let room = Self.lineCapacity - half.utf8.count
    isCut = part.utf8.count > room
    if isCut {
      half += String(decoding: part.utf8.prefix(room), as: UTF8.self) + Self.cut
    } else {
      half += part
    }
  }

  /// Whether ``finish()`` has a line.
  package var hasUnfinishedLine: Bool { isInside && !half.isEmpty }

  /// The line at the end that has no line end.
  package mutating func finish() -> [String] {
    half.isEmpty ? [] : end()
  }

  private mutating func end() -> [String] {
    defer { (half, isCut) = ("", false) }
    return keep(half[...]).map { [$0] } ?? []
  }

  private mutating func keep(_ line: Substring) -> String? {
    // Progress that overwrites itself: what stands last is what was seen.
    let seen = Substring(line.unicodeScalars.split(separator: "\r").last ?? line.unicodeScalars)
    if let package {
      if let name = Self.packageBegun(by: seen) { isInside = name == package }
    }
    return isInside ? String(seen) : nil
  }

  private static let beginnings = [
    "Selecting previously unselected package ", "Preparing to unpack ", "Unpacking ",
    "Setting up ", "Removing ", "Purging configuration files for ", "Processing triggers for ",
  ]

  private static func packageBegun(by line: Substring) -> String? {
    for beginning in beginnings where line.hasPrefix(beginning) {
      let rest = line.dropFirst(beginning.count)
      let word = rest.prefix { $0 != " " }
      let file = word.split(separator: "/").last ?? word
      let base = beginning == "Preparing to unpack " ? file.prefix { $0 != "_" } : file
      let trimmed = base.hasSuffix(".") ? base.dropLast() : base
      return String(trimmed.prefix { $0 != ":" })
    }
    return nil
  }
}
