/// Packages whose names can be told on a screen from what stood there before.
///
/// A terminal is sent only the cells that change. A mark has no letter of the mark before it, and
/// packages of the crowd have none at all; where other words stood, a letter may happen to stay, so
/// half of a name's letters in a row are enough to tell it.
enum StatusMark: Sendable {
  /// Even and odd marks.
  private static let letters = [Array("abcdefghijklm"), Array("nopqrstuvwxyz")]
  private static let length = 12

  /// The letters of a mark's name.
  static func word(_ number: Int) -> String {
    let letters = letters[number % 2]
    var chance = Irregular(seed: UInt64(number + 1) * 7_919)
    return String((0..<length).map { _ in letters[chance.next(below: letters.count)] })
  }

  /// Every half of a word whose letters stand together.
  static func parts(of word: String) -> [String] {
    let letters = Array(word)
    return (0...letters.count / 2).map { String(letters[$0..<$0 + letters.count / 2]) }
  }

  /// The package's name.
  static func name(_ number: Int) -> String { word(number) + "-\(1_000 + number)" }

  /// The name of a package of the crowd: digits only, where marks have letters.
  static func crowdName(_ number: Int) -> String {
    "\(10_000_000 + number)-\(1_000 + number % 9_000)"
  }

  /// The lines of dpkg for a package that is unpacked and configured, as it writes them.
  static func lines(_ name: String) -> [String] {
    let states = ["unpacked", "half-configured", "installed", "installed"]
    return [
      "processing: install: \(name)", "status: \(name): half-installed",
      "status: \(name): unpacked", "processing: configure: \(name)",
    ] + states.map { "status: \(name): \($0)" }
  }

  /// The line by which a mark comes to be worked on.
  static func line(_ number: Int) -> String { "processing: install: \(name(number))" }
}
