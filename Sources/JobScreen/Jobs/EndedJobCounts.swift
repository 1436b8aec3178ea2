/// How many jobs of the history ended how, kept by adding and taking away.
struct EndedJobCounts: Sendable, Hashable {
  private static let shown: [(mark: JobMark, word: String)] = [
    (.done, "ok"), (.warned, "with errors"), (.failed, "failed"), (.interrupted, "interrupted"),
    (.aborted, "aborted"),
  ]

  private var counts: [JobMark: Int] = [:]

  init() {}

  mutating func add(_ mark: JobMark) { counts[mark, default: 0] += 1 }
  mutating func remove(_ mark: JobMark) { counts[mark, default: 0] -= 1 }

  /// `12 ended jobs: 9 ok, 2 failed, 1 aborted`, then without the results, for where there is no
  /// room; `200+ ended jobs` where older ones were not fetched.
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
