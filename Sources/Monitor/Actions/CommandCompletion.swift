import Canvas
import InstallJobs
import ThemeCatalog

/// Completion of a line of the command prompt: names of commands and their arguments.
extension CommandLine {
  /// One possible completion.
  struct Candidate: Sendable, Hashable {
    /// The completed word.
    let word: String
    /// The whole line with the word.
    let line: String
  }

  /// Maximum number of job numbers that are offered.
  static let mostJobs = 200

  /// All completions of a line, in the order to offer them.
  func candidates(for line: String) -> [Candidate] {
    let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let last = parts.last ?? ""
    let head = String(line.dropLast(last.count))
    let words =
      parts.count <= 1 ? names : arguments(of: parts[0], behind: parts[1..<(parts.count - 1)])
    let isName = parts.count <= 1
    let matching = words.filter { $0.hasPrefix(last) && ($0 != last || isName && takesMore($0)) }
    return matching.map { word in
      // A space follows a unique name, so that its argument can be typed at once.
      let isDone = isName && matching.count == 1 && takesMore(word)
      return Candidate(word: word, line: head + word + (isDone ? " " : ""))
    }
  }

  /// The missing end of the last word, from the first completion; empty if there is none, and if
  /// the last word is empty.
  func completion(of line: String) -> String {
    let typed = line.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
    guard !typed.isEmpty else { return "" }
    // A complete word has no missing end, even if a longer word begins like it.
    return candidates(for: line).first.map { String($0.word.dropFirst(typed.count)) } ?? ""
  }

  private var names: [String] { (Self.words.map(\.name) + actions.actions.map(\.name)).sorted() }

  private func takesMore(_ name: String) -> Bool {
    Self.words.contains { $0.name == name }
      || actions.action(named: name).map { Self.onJobs.contains($0.id) } ?? false
  }

  /// The possible arguments of a command after the arguments typed so far.
  private func arguments(of name: String, behind there: ArraySlice<String>) -> [String] {
    let numbers = jobs.map { "\($0)" }.filter { !there.contains($0) }
    switch name.lowercased() {
    case "theme": return there.isEmpty ? themes : []
    case "column": return there.isEmpty ? ColumnChoice.Column.allCases.map(\.rawValue) : []
    case "sort":
      return there.isEmpty
        ? JobSort.Key.allCases.map(\.rawValue) : there.count == 1 ? ["reverse"] : []
    case "filter":
      return JobFilter.Field.allCases.map { $0.rawValue + ($0.isMeasured ? ">" : ":") }
    case "job": return there.isEmpty ? numbers : []
    case "withdraw", "pause", "resume": return numbers
    case "move":
      return there.contains { $0.hasPrefix("--") }
        ? [] : numbers + ["--first", "--last", "--priority"]
    case let name:
      guard let action = actions.action(named: name) ?? actions.action(commanded: name),
        Self.onJobs.contains(action.id)
      else { return [] }
      let options: [Action.ID: String] = [.abort: "--withdraw", .cleanUp: "--finished"]
      return numbers + (there.isEmpty ? options[action.id].map { [$0] } ?? [] : [])
    }
  }
}

extension Painter {
  /// Draws the completions in a row above the prompt, scrolled so that the selected one is visible.
  mutating func candidates(_ completion: Prompt.Completion, _ row: Int) {
    guard row > 0 else { return }
    let columns = canvas.size.columns
    canvas.fill(
      Rect(column: 0, row: row, columns: columns, rows: 1), style: style(.dialogText))
    let words = completion.candidates.map(\.word)
    // As many words before the selected one as fit together with it.
    var first = completion.index ?? 0
    var width = words[first].count + 4
    while first > 0, width + words[first - 1].count + 2 <= columns {
      first -= 1
      width += words[first].count + 2
    }
    // The sign for earlier words is drawn only if the selected word still fits.
    let isSigned = first > 0 && words[first].count + 4 <= columns
    var column = isSigned ? put("< ", 0, row, .textDim) : 0
    for index in words.indices.dropFirst(first) {
      let room = columns - (index == words.count - 1 || index == completion.index ? 0 : 2)
      guard column + words[index].count <= room else {
        put(">", columns - 1, row, .textDim)
        return
      }
      let role: Role = index == completion.index ? .dialogFocus : .dialogText
      column = put(words[index], column, row, role) + 2
    }
  }
}
