import InstallJobs

/// What the lists are narrowed to: words that all must match.
///
/// `state:failed` and `by:ops` look at one thing, a bare word at number, packages, comment and name
/// of the requester. Case does not matter.
struct JobFilter: Sendable, Hashable {
  var text = ""

  var isEmpty: Bool { words.isEmpty }

  private var words: [Substring] { text.split(separator: " ") }

  func matches(_ entry: JobBook.Entry) -> Bool {
    words.allSatisfy { word in
      let parts = word.lowercased().split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return Self.mentions(entry, word.lowercased()) }
      switch parts[0] {
      case "state":
        return entry.job.state.rawValue.lowercased().hasPrefix(parts[1])
          || entry.mark.countWord.hasPrefix(parts[1])
      case "by": return entry.job.requestedBy.user.lowercased().contains(parts[1])
      default: return Self.mentions(entry, word.lowercased())
      }
    }
  }

  /// Whether a job mentions `word`, which is in lower case.
  static func mentions(_ entry: JobBook.Entry, _ word: String) -> Bool {
    let job = entry.job
    return String(job.id.rawValue) == word || job.requestedBy.user.lowercased().contains(word)
      || job.operation.rawValue.contains(word)
      || job.options.comment?.lowercased().contains(word) ?? false
      || job.updates.contains { $0.name.lowercased().contains(word) }
  }
}
