import Canvas
import InstallJobs

/// Text from anywhere on its way to a terminal.
struct SanitiserTarget: FuzzTarget {
  static let name = "sanitiser"

  var seeds: [[UInt8]] {
    [
      "plain text\r\nwith lines", "\u{1B}[31mred\u{1B}[0m \u{1B}]0;title\u{7}x",
      "e\u{301}\u{301} \u{1F469}\u{200D}\u{1F680} \u{1F44D}\u{1F3FD} \u{FF21}",
      "\u{202E}abc\u{202C}",
      "\u{1100}\u{1161}\u{11A8}",
    ].map { Array($0.utf8) }
  }
  var tokens: [String] {
    [
      "\u{1B}", "[", "]", "0;", "m", "\u{7}", "\u{1B}\\", "\u{9B}", "\u{9D}", "\u{9C}", "P", "a",
      "\u{4E2D}", "\u{301}", "\u{1F3FB}", "\u{1F44D}", "\u{200D}", "\u{FE0F}", "\u{1F1E9}", "\r",
      "\n",
      "\u{2028}", "\u{AD}", "\u{1160}", "\u{1161}", "\u{378}", " ", "\u{202E}", "\u{E0041}",
    ]
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let text = String(decoding: input, as: UTF8.self)
    let shown = sanitize(text)
    try hold(shown.isShownSafely, "control characters are left: \(shown.debugDescription)")
    try hold(Sanitized(utf8: input).string == shown, "bytes are read in another way than text")
    try hold(
      Array(sanitize(shown).utf8) == Array(shown.utf8), "text that is safe changes once more")
    let columns = TextWidth.columns(text)
    try hold(TextWidth.columns(shown) == columns, "text and safe text differ in width")
    for width in [0, 1, 2, 7, columns - 1, columns] where width >= 0 {
      let cut = truncated(text, to: width)
      try hold(TextWidth.columns(cut) <= width, "text is wider than what it was cut to: \(width)")
      try hold(
        TextWidth.columns(padded(text, to: width, alignment: .center)) == width,
        "text that was filled up has another width: \(width)")
    }
    try hold(
      Array(truncated(text, to: columns).utf8) == Array(shown.utf8), "text that fits was cut")
  }
}

/// Names of updates.
struct UpdateNameTarget: FuzzTarget {
  static let name = "update"

  var seeds: [[UInt8]] {
    ["hello=2.10-3:amd64", "vim:i386=2:9.0~rc1+b2", "g++", "a"].map { Array($0.utf8) }
  }
  var tokens: [String] {
    ["a", "hello", "=", ":", "1", "2.0", "-", "+", "~", "amd64", ".", "\u{E4}"]
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let text = String(decoding: input, as: UTF8.self)
    let update: Update
    do throws(InstallationError) {
      update = try Update(parsing: text)
    } catch {
      try hold(error.message.isShownSafely, "a refusal has controls: \(error.message)")
      try hold(error.message.count < 700, "a refusal is too long")
      return
    }
    try hold(
      (try? Update(parsing: update.description)) == update, "a name written again is another")
    try hold((try? update.validate()) != nil, "what was read is not valid")
    // The same parts in other places must not pass for an update.
    let loose = Update(text)
    try hold(
      update.name == text || (try? loose.validate()) == nil, "a name with more in it is valid")
  }
}

/// Points in time.
struct TimeTarget: FuzzTarget {
  static let name = "time"

  var seeds: [[UInt8]] {
    ["2026-01-31T23:59:59.000Z", "2026-02-01 08:00:00+02:00"].map { Array($0.utf8) }
  }
  var tokens: [String] {
    ["-", ":", "T", "Z", ".", "+", "0000", "9999", "00", "23", "59", "60", "02", "29", "31", "99"]
  }

  func sentence(_ random: inout FuzzRandom, _ tokens: [String]) -> [UInt8] {
    func two(_ bound: Int) -> String {
      let number = random.below(bound)
      return number < 10 ? "0\(number)" : "\(number)"
    }
    let year = random.one(of: ["0000", "0001", "1900", "2000", "2024", "2026", "9999"])
    let day = "\(year)-\(two(14))-\(two(33))T\(two(25)):\(two(61)):\(two(62))"
    let fraction = random.oneIn(2) ? "" : ".\(random.below(1_000_000))"
    let zone = random.oneIn(2) ? "Z" : random.one(of: ["+", "-"]) + "\(two(100)):\(two(100))"
    return Array((day + fraction + zone).utf8)
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let text = String(decoding: input, as: UTF8.self)
    guard let time = Timestamp(text) else { return }
    try hold(Timestamp(time.description) == time, "a time written again is another: \(time)")
    if text.hasSuffix("Z"), !text.contains(":60") {
      try hold(
        time.description.prefix(10) == text.prefix(10), "a day became another day: \(time)")
    }
  }
}
