import JobText

/// Number of jobs in the history for each result, updated with each job that enters or leaves.
struct EndedJobCounts: Sendable, Hashable {
  private static let shown: [(mark: JobMark, word: String)] = [
    (.done, "ok"), (.warned, "with errors"), (.failed, "failed"), (.interrupted, "interrupted"),
    (.aborted, "aborted"),
  ]

  private var counts: [JobMark: Int] = [:]

  init() {}

  mutating func add(_ mark: JobMark) { counts[mark, default: 0] += 1 }
  mutating func remove(_ mark: JobMark) { counts[mark, default: 0] -= 1 }

  /// Two forms of the counts, longest first: `12 ended jobs: 9 ok, 2 failed, 1 aborted`, and the
  /// form without results.
  ///
  /// With `hasMore` the number is `200+`: the engine has older jobs that are not fetched.
  func phrases(hasMore: Bool = false) -> [String] {
    let count = counts.values.reduce(0, +)
    let all = hasMore ? "\(count)+ ended jobs" : Figures.count(count, "ended job")
    let results = Self.shown.compactMap { mark, word -> String? in
      guard let count = counts[mark], count > 0 else { return nil }
      return "\(count) \(word)"
    }
    return results.isEmpty ? [all] : [all + ": " + results.joined(separator: ", "), all]
  }
}
