import InstallJobs

/// How the last word of a filter can go on: the fields, and what a field can be.
struct FilterCompletion: Sendable {
  /// Values of a field that are offered at most.
  static let most = 200

  /// Jobs whose people, packages and numbers are offered.
  let jobs: [JobSnapshot]

  /// All ways in which a filter can go on, in the order to offer them.
  func candidates(for line: String) -> [CommandLine.Candidate] {
    let last = line.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
    let head = String(line.dropLast(last.count))
    var word = last
    var sign = ""
    if word.first == "-" || word.first == "!" { sign = String(word.removeFirst()) }
    return words(for: word).filter { $0.lowercased().hasPrefix(word.lowercased()) && $0 != word }
      .prefix(Self.most)
      .map { CommandLine.Candidate(word: sign + $0, line: head + sign + $0) }
  }

  private func words(for word: Substring) -> [String] {
    guard let end = word.firstIndex(where: { ":<>".contains($0) }) else {
      return JobFilter.Field.allCases.map { $0.rawValue + ($0.isMeasured ? ">" : ":") }
    }
    guard let field = JobFilter.Field(rawValue: word[..<end].lowercased()) else { return [] }
    let rest = word[word.index(after: end)...]
    // Of several values the last one is being typed.
    let before = rest.lastIndex(of: ",").map { rest[...$0] } ?? ""
    let start = String(word[...end]) + before
    return values(of: field).map { start + $0 }
  }

  private func values(of field: JobFilter.Field) -> [String] {
    switch field {
    case .state: JobFilter.stateWords
    case .op: JobOperation.allCases.map(\.rawValue)
    case .user: Set(jobs.map(\.requestedBy.user)).sorted()
    case .pkg: Set(jobs.flatMap { $0.updates.map(\.name) }).sorted()
    case .job: jobs.map { "\($0.id)" }
    case .comment: Set(jobs.compactMap(\.options.comment)).filter { !$0.contains(" ") }.sorted()
    case .age, .took: ["1m", "10m", "1h", "1d"]
    case .done: ["25", "50", "75"]
    }
  }
}

extension MonitorState {
  /// What a filter can look for in the jobs of this list, whatever it is narrowed to now.
  var filterCompletion: FilterCompletion {
    let all = list == .history ? shownBook.history : shownBook.queue
    let ids = all.places.prefix(CommandLine.mostJobs).map(\.job)
    return FilterCompletion(jobs: ids.compactMap { shownBook[$0]?.job })
  }
}
