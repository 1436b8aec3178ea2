/// Suggests the known word that the user probably meant.
package enum NearestWord: Sendable {
  /// Returns the word of `words` that is nearest to a typed word.
  ///
  /// - Parameters:
  ///   - typed: The typed word, of any length.
  ///   - words: The known words.
  /// - Returns: The word with the least edit distance (insertions, deletions, substitutions and
  ///   swaps of neighbours), at most a third of the typed letters and at least 1; of equal ones the
  ///   first in alphabetical order. A word that begins with the typed text (two letters or more)
  ///   has distance 0. Nil when no word is near, or for more than 40 bytes.
  package static func of(_ typed: String, in words: some Sequence<String>) -> String? {
    // Commands and actions are short; a typed word may be long.
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
