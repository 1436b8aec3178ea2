import InstallJobs

/// One act on several jobs: each of them is asked, whatever became of those before it.
///
/// What became of each is told in a line at once, or with `json` in one array at the end, in which
/// a job of which it failed stands as `{"job": 7, "error": {…}}`. A failure of the only job named is
/// an error like that of any other command. An engine that went away ends it: those behind were not
/// asked.
struct JobBatch<Answer: Encodable> {
  /// What became of one job.
  struct Outcome {
    /// The job's part of the JSON array; nil where only words are wanted.
    var answer: Answer?
    /// What is told of it, without the job's number.
    var words: String
    /// What the program exits with because of it.
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

  /// Acts on one job after another.
  ///
  /// - Parameters:
  ///   - ids: The jobs, in the order in which they are asked.
  ///   - isJSON: Whether JSON is wanted.
  ///   - act: Does it and says what became of the job.
  /// - Throws: What `act` throws for an only job or because the engine went away; else the status of
  ///   the first job of which it failed, once all are told.
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
