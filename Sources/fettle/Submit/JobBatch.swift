import InstallJobs

/// Runs one action on several jobs, one after the other, and continues after a failure.
///
/// Each result is printed as a line at once, or with `json` in one array at the end, in which a
/// failed job is `{"job": 7, "error": {…}}`. With only one job named, a failure is thrown like the
/// error of any other command. An unreachable engine ends the batch; the action does not run on the
/// remaining jobs.
struct JobBatch<Answer: Encodable> {
  /// The result of the action on one job.
  struct Outcome {
    /// The job's element of the JSON array; nil without JSON.
    var answer: Answer?
    /// The result in words, without the job's number.
    var words: String
    /// The exit status for this job.
    var status = ExitStatus.succeeded
  }

  private struct Failed: Encodable {
    var job: JobID
    var error: Report.Failure.Body
  }

  private enum Entry: Encodable {
    case answer(Answer)
    case failed(Failed)

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .answer(let answer): try answer.encode(to: encoder)
      case .failed(let failed): try failed.encode(to: encoder)
      }
    }
  }

  private let isJSON: Bool
  private let ids: [JobID]
  private var entries: [Entry] = []
  private var status = ExitStatus.succeeded

  private init(_ ids: [JobID], isJSON: Bool) {
    self.ids = ids
    self.isJSON = isJSON
  }

  /// Runs an action on one job after another.
  ///
  /// - Parameters:
  ///   - ids: The jobs, in order.
  ///   - isJSON: Whether to print JSON.
  ///   - act: The action; returns the job's result.
  /// - Throws: The error of `act` for a single job or an unreachable engine; otherwise the status
  ///   of the first failed job, after all results are printed.
  static func act(
    on ids: [JobID], json isJSON: Bool,
    _ act: (JobID) async throws(InstallationError) -> Outcome
  ) async throws {
    var each = JobBatch(ids, isJSON: isJSON)
    for id in ids {
      do throws(InstallationError) {
        each.record(try await act(id), of: id)
      } catch {
        try each.record(error, of: id)
      }
    }
    if isJSON { try Report.json(each.entries) }
    if each.status != .succeeded { throw each.status }
  }

  private mutating func record(_ outcome: Outcome, of id: JobID) {
    note(outcome.status)
    guard isJSON else { return Report.line("job \(id): \(outcome.words)") }
    if let answer = outcome.answer { entries.append(.answer(answer)) }
  }

  private mutating func record(_ error: InstallationError, of id: JobID) throws {
    if error.code == .engineUnreachable {
      if isJSON, !entries.isEmpty { try Report.json(entries) }
      throw error
    }
    guard ids.count > 1 else { throw error }
    note(ExitStatus(error))
    guard !isJSON else {
      return entries.append(.failed(Failed(job: id, error: Report.Failure.Body(error))))
    }
    let words = error.message.split { !$0.isLetter && !$0.isNumber }
    let isNamed = words.contains { $0 == "\(id)" }
    Report.note(isNamed ? error.description : "job \(id): \(error.description)")
  }

  private mutating func note(_ new: ExitStatus) {
    if status == .succeeded { status = new }
  }
}
