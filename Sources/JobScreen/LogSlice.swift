import Canvas

/// Cuts a log into sanitised lines, and if wanted keeps only the lines about one package.
///
/// dpkg runs in the C locale, so the lines that begin the work on a package are known; whatever
/// follows such a line belongs to that package until the next one.
package struct LogSlice: Sendable {
  /// Characters kept of a line that does not end; the rest of it is left out.
  private static let lineCapacity = 16_384
  private let package: String?
  private var isInside: Bool
  private var half = ""

  /// - Parameter package: The package's name; nil keeps every line.
  package init(of package: String?) {
    self.package = package
    isInside = package == nil
  }

  /// Takes the next piece of the log and returns the whole lines that it completes.
  package mutating func take(_ text: String) -> [String] {
    // Scalars, since a carriage return and a line feed are one character.
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    let last = lines.popLast().map { String($0) } ?? ""
    guard let first = lines.first else {
      half += String(last.prefix(max(0, Self.lineCapacity - half.count)))
      return []
    }
    let whole = [half + String(first)] + lines.dropFirst().map { String($0) }
    half = String(last.prefix(Self.lineCapacity))
    return whole.compactMap { keep($0[...]) }
  }

  /// Whether ``rest()`` has a line.
  package var hasHalfALine: Bool { isInside && !half.isEmpty }

  /// The line at the end that has no line end.
  package mutating func rest() -> [String] {
    defer { half = "" }
    return half.isEmpty ? [] : [keep(half[...])].compactMap { $0 }
  }

  private mutating func keep(_ line: Substring) -> String? {
    // Progress that overwrites itself: what stands last is what was seen.
    let seen = Substring(line.unicodeScalars.split(separator: "\r").last ?? line.unicodeScalars)
    if let package {
      if let name = Self.packageBegun(by: seen) { isInside = name == package }
    }
    return isInside ? sanitize(String(seen)) : nil
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
