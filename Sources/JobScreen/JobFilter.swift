import InstallJobs

/// What the lists are narrowed to: words that all must match.
///
/// `state:failed` and `by:ops` look at one thing, a bare word at number, packages, comment and name
/// of the requester. Case does not matter.
struct JobFilter: Sendable, Hashable {
  private enum Word: Sendable, Hashable {
    case state(String)
    case by(String)
    case any(String)
  }

  /// What was typed.
  let text: String
  private let words: [Word]

  init(_ text: String = "") {
    self.text = text
    words = text.lowercased().split(separator: " ").map { word in
      let parts = word.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return .any(String(word)) }
      return switch parts[0] {
      case "state": .state(String(parts[1]))
      case "by": .by(String(parts[1]))
      default: .any(String(word))
      }
    }
  }

  var isEmpty: Bool { words.isEmpty }

  func matches(_ entry: JobBook.Entry) -> Bool {
    words.allSatisfy { word in
      switch word {
      case .state(let start):
        entry.job.state.rawValue.lowercased().hasPrefix(start)
          || entry.mark.countWord.hasPrefix(start)
      case .by(let part): entry.job.requestedBy.user.lowercased().contains(part)
      case .any(let part): Self.mentions(entry, part)
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
