import Settings

/// What is given to the TOML parser, with many values that are cut off dates.
///
/// A promise is broken by the parser's end of the process, which names the input.
struct DateTarget: FuzzTarget {
  static let name = "date"

  var seeds: [[UInt8]] {
    ["a = 1\n2020-01-01 = -2.5e-3\n[1-2]\nb = [1, 2]\nc = { 3-4 = 5 }\n"].map { Array($0.utf8) }
  }
  var tokens: [String] {
    TOMLWords.all + [
      "keys.a = ", "1979", "-05", "-27", "T", "t", " ", "07", ":32", ":00", ".999999999", "Z", "z",
      "+",
      "-", "_", "0", "9", "02-29", "24", "60", "\t", "\r\n", "e", "0x", "inf", "[1979-05-27, ",
    ]
  }

  func sentence(_ random: inout FuzzRandom, _ tokens: [String]) -> [UInt8] {
    let starts = [
      "keys.a = ", "keys.a=", "keys.a = [", "keys.a = ['a', ", "keys = { a = ", "[keys]\na = ",
      "keys.a = [\n", "",
    ]
    return Array((random.one(of: starts) + random.words(tokens, most: 9)).utf8)
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let text = String(decoding: input, as: UTF8.self)
    do throws(SettingsError) {
      _ = try Settings.parse(text, file: "x.toml")
    } catch {
      try hold(!error.description.contains("not a date"), "the parser was given a date: \(error)")
      try hold(error.description.isShownSafely, "an error has controls: \(error.description)")
    }
  }
}
