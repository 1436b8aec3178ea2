/// How a job ended, as people tell endings apart.
public enum HistoryResult: String, Sendable, Hashable, Codable, CaseIterable {
  /// Everything was done.
  case succeeded
  /// Some updates were done, others not.
  case succeededWithErrors
  /// Nothing of what was asked for was done.
  case failed
  /// An abort left something undone.
  case aborted
  /// Its worker vanished; what it has left was looked up in the package database.
  case interrupted

  /// The result code of jobs that ended so; nil for interrupted ones, which have any.
  public var code: OperationResultCode? {
    switch self {
    case .succeeded: .succeeded
    case .succeededWithErrors: .succeededWithErrors
    case .failed: .failed
    case .aborted: .aborted
    case .interrupted: nil
    }
  }
}

/// Which ended jobs to list; what is nil does not restrict (row Y3).
public struct HistoryFilter: Sendable, Hashable, Codable {
  /// A package that the job asked for or touched, dependencies included.
  public var package: String?
  /// The name of the user who asked.
  public var user: String?
  /// Jobs that ended at this time or later.
  package var since: Timestamp?
  /// Jobs that ended before this time.
  package var until: Timestamp?
  /// Jobs that ended in one of these ways; an empty set means none.
  public var results: Set<HistoryResult>?

  package init(
    package: String? = nil, user: String? = nil, since: Timestamp?, until: Timestamp? = nil,
    results: Set<HistoryResult>? = nil
  ) {
    self.package = package
    self.user = user
    self.since = since
    self.until = until
    self.results = results
  }
}
