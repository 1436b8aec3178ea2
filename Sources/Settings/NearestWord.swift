/// The word that was probably meant.
package enum NearestWord: Sendable {
  /// The one of `words` that is nearest to what was typed.
  ///
  /// - Parameters:
  ///   - typed: What was typed, of any length.
  ///   - words: What there is.
  /// - Returns: The nearest word by letters put in, left out, changed or swapped with their
  ///   neighbour, at most one for every three letters and at least one; of equal ones the first by
  ///   the alphabet. A word that begins with what was typed (two letters or more) counts as near.
  package static func of(_ typed: String, in words: some Sequence<String>) -> String? {
    // No command or action is longer than some letters; what is typed may be.
    guard typed.utf8.count <= 40 else { return nil }
    let most = max(1, typed.count / 3)
    let ranked = words.map { word in
      (word, word.hasPrefix(typed) && typed.count >= 2 ? 0 : distance(typed, word))
    }
    return ranked.filter { $0.1 <= most }.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  private static func distance(_ left: String, _ right: String) -> Int {
    let (a, b) = (Array(left), Array(right))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(last[j + 1], row[j]) + 1
        best = min(best, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
