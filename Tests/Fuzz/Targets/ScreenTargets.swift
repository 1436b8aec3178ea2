import Canvas
import InstallJobs
import Monitor

/// The filter language.
struct FilterTarget: FuzzTarget {
  static let name = "filter"

  var seeds: [[UInt8]] {
    [
      "state:failed,aborted user:root pkg:nginx* age>10m -op:remove", "took<1.5h done>50% !nightly",
      "by:ops id:104* package:*-dev* comment:x", "age>3w took>30 job:1",
    ].map { Array($0.utf8) }
  }
  var tokens: [String] {
    [
      "state", "user", "pkg", "job", "op", "comment", "age", "took", "done", "by", "id", ":", ">",
      "<", "-", "!", ",", "*", "**", " ", "10", "m", "h", "d", "w", "%", ".", "root", "b",
      "install",
      "\u{130}", "\u{661}", "\u{301}",
    ]
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let text = String(decoding: input, as: UTF8.self)
    let now = Timestamp(milliseconds: 1_767_268_900_000)
    let filter = JobFilter(text, now: now)
    let jobs = SampleFilterJobs.all
    let found = jobs.map(filter.matches)
    try hold(!filter.isEmpty || found.allSatisfy { $0 }, "a filter without terms leaves jobs out")
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return }
    let padded = JobFilter(
      "  " + text.split(separator: " ").joined(separator: "   ") + " ", now: now)
    try hold(
      jobs.map(padded.matches) == found && padded.problem == filter.problem,
      "blanks make a difference")
    try hold(
      jobs.map(JobFilter(text.uppercased(), now: now).matches) == found, "case makes a difference")
    let words = text.split(separator: " ")
    guard words.count == 1, filter.problem == nil, !filter.isEmpty,
      let first = text.first(where: { $0 != " " }), first != "-", first != "!"
    else { return }
    try hold(
      jobs.map(JobFilter("-" + words[0], now: now).matches) == found.map { !$0 },
      "a term that is turned round finds what it does not")
  }
}

private enum SampleFilterJobs {
  static let all = SampleJobs.snapshots
}

/// Patterns with stars, against the plainest way to compare them.
struct GlobTarget: FuzzTarget {
  static let name = "glob"

  var seeds: [[UInt8]] { ["*ab*a\nabcabca", "a*b\nab", "***\n", "\n"].map { Array($0.utf8) } }
  var tokens: [String] { ["*", "a", "b", "ab", "aab", "\n", "aaaaaaaa", "*a*a*a*b", "\u{E4}"] }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let parts = String(decoding: input.prefix(400), as: UTF8.self)
      .split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return }
    try hold(
      Glob.matches(parts[1], parts[0]) == Self.matches(Array(parts[1].utf8), Array(parts[0].utf8)),
      "a pattern fits by one way of comparing and not by the other")
  }

  /// A table over all beginnings of text and pattern.
  private static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
    var row = Array(repeating: false, count: text.count + 1)
    row[0] = true
    for sign in pattern {
      var next = Array(repeating: false, count: text.count + 1)
      if sign == UInt8(ascii: "*") {
        next[0] = row[0]
        for index in text.indices { next[index + 1] = next[index] || row[index + 1] }
      } else {
        for index in text.indices { next[index + 1] = row[index] && text[index] == sign }
      }
      row = next
    }
    return row[text.count]
  }
}

/// The command prompt, with completion and hints, in the whole monitor.
struct PromptTarget: FuzzTarget {
  static let name = "prompt"

  var seeds: [[UInt8]] {
    [
      "filter state:failed", "find hello", "job 1", "sort done reverse", "theme neutral",
      "install hello tree=1.0", "abort", "cleanup", "wq",
    ].map { Array($0.utf8) }
  }
  var tokens: [String] {
    ActionTable.standard.actions.map(\.name) + [
      "filter ", "find ", "job ", "sort ", "theme ", "install ", "remove ", "upgrade ", ":", " ",
      "1", "9223372036854775808", "reverse", "state", "done", "\u{130}", "I\u{307}", "\u{301}",
    ]
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let size = Size(columns: 40, rows: 8)
    var state = MonitorState(size: size, themes: ["neutral", "night"])
    // As an engine tells them.
    _ = state.update(.snapshotBegin)
    _ = state.update(.snapshot(SampleJobs.snapshots))
    _ = state.update(.snapshotEnd(seq: 1))
    let text = String(decoding: input.prefix(3_000), as: UTF8.self)
    _ = state.update(.key(.character(":")))
    _ = state.update(.paste(text))
    for key in [Key.tab, .left, .character("\u{301}"), .backspace, .end, .tab] {
      _ = state.update(.key(key))
    }
    _ = state.update(.key(.enter))
    for key in [Key.down, .character("x"), .escape, .control("w"), .enter] {
      _ = state.update(.key(key))
    }
    try hold((state.message?.text.utf8.count ?? 0) < 40_000, "a message has no bound")
  }
}
