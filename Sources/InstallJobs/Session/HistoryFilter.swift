/// The final results of jobs, as distinguished in the history.
public enum HistoryResult: String, Sendable, Hashable, Codable, CaseIterable {
  /// All updates succeeded.
  case succeeded
  /// Some updates succeeded, others did not.
  case succeededWithErrors
  /// No requested update succeeded.
  case failed
  /// An abort left something undone.
  case aborted
  /// The job's worker vanished; the results were read from the package database.
  case interrupted

  /// The result code of such jobs; nil for interrupted jobs, which may have any code.
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

/// Selects ended jobs of the history; nil values do not restrict (row Y3).
public struct HistoryFilter: Sendable, Hashable, Codable {
  /// A package that the job requested or touched, including dependencies.
  public var package: String?
  /// The name of the user who submitted the job.
  public var user: String?
  /// Jobs that ended at this time or later.
  package var since: Timestamp?
  /// Jobs that ended before this time.
  package var until: Timestamp?
  /// Jobs with one of these results; an empty set matches no job.
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
