internal import InstallJobs
internal import JobClient

extension EngineBackend {
  /// The end of a job's log, for whoever wonders why it ended so; empty where it cannot be read.
  func lastWords(of job: JobID) async -> String {
    guard let length = try? await log(of: job, from: 0, limit: 1).length,
      let piece = try? await log(of: job, from: max(0, length - 4_000), limit: 4_000)
    else { return "" }
    return piece.text
  }
}
