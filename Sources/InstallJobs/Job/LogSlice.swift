/// Splits a log into lines and optionally keeps only the lines about one package.
///
/// Lines contain the unfiltered output of packages: remove control characters before display.
///
/// dpkg runs in the C locale, so its messages at the start of the work on a package are known. All
/// lines after such a message belong to that package until the next message.
package struct LogSlice: Sendable {
  /// Maximum length of a line in bytes; longer lines are cut and end with ``cut``.
  package static let lineCapacity = 65_536
  /// The end of a line that was cut.
  package static let cut = " [the rest of this line is left out]"
  private let package: String?
  private var isInside: Bool
  private var half = ""
  private var isCut = false

  /// - Parameter package: The name of the package whose lines to keep; nil keeps all lines.
  package init(of package: String?) {
    self.package = package
    isInside = package == nil
  }

  /// Appends the next piece of the log and returns the lines that it completes.
  package mutating func append(_ text: String) -> [String] {
    // Split by scalars, because a carriage return with a line feed is one character.
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

  /// Returns the last line if it has no line end.
  package mutating func finish() -> [String] {
    half.isEmpty ? [] : end()
  }

  private mutating func end() -> [String] {
    defer { (half, isCut) = ("", false) }
    return keep(half[...]).map { [$0] } ?? []
  }

  private mutating func keep(_ line: Substring) -> String? {
    // Output that overwrites itself: only the last text stays visible.
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
