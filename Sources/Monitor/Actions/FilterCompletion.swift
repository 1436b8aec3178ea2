import InstallJobs

/// Completions for the last word of a filter: field names, and values of a field.
struct FilterCompletion: Sendable {
  /// The highest number of candidates.
  static let most = 200

  /// The jobs whose users, packages, numbers and comments are offered.
  let jobs: [JobSnapshot]

  /// The candidates for the last word of `line`, in the order to offer them.
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
    // In a list of values, only the last value is completed.
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
  /// Completions from the jobs of this list, including jobs that the current filter hides.
  var filterCompletion: FilterCompletion {
    let all = list == .history ? shownBook.history : shownBook.queue
    let ids = all.places.prefix(CommandLine.mostJobs).map(\.job)
    return FilterCompletion(jobs: ids.compactMap { shownBook[$0]?.job })
  }
}
