import Canvas

/// Cuts a log into sanitised lines, and if wanted keeps only the lines about one package.
///
/// dpkg runs in the C locale, so the lines that begin the work on a package are known; whatever
/// follows such a line belongs to that package until the next one.
package struct LogSlice: Sendable {
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
    var lines = (half + text).split(separator: "\n", omittingEmptySubsequences: false)
    half = lines.popLast().map(String.init) ?? ""
    return lines.compactMap { keep($0) }
  }

  /// The line at the end that has no line end.
  package mutating func rest() -> [String] {
    defer { half = "" }
    return half.isEmpty ? [] : [keep(half[...])].compactMap { $0 }
  }

  private mutating func keep(_ line: Substring) -> String? {
    // Progress that overwrites itself: what stands last is what was seen.
    let seen = line.split(separator: "\r").last ?? line
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
