/// The expected duration of a job's work, estimated from the cost of its packages on this machine.
///
/// Downloads and package work are separate, because archives can be downloaded while another job
/// uses the package system.
public struct ExpectedWork: Sendable, Hashable, Codable {
  /// Expected seconds until all archives are downloaded; 0 if there are none.
  package var downloadSeconds: Double
  /// Expected seconds from the end of the downloads to the verified result.
  package var packageSeconds: Double
  /// Uncertainty of the sum in either direction, in seconds; see ``JobSnapshot/etaSpreadSeconds``.
  package var spreadSeconds: Double

  /// Creates a value from its parts.
  package init(downloadSeconds: Double, packageSeconds: Double, spreadSeconds: Double) {
    self.downloadSeconds = downloadSeconds
    self.packageSeconds = packageSeconds
    self.spreadSeconds = spreadSeconds
  }

  /// Expected seconds from the start of the job to its end if no archive is downloaded before.
  package var seconds: Double { downloadSeconds + packageSeconds }
}

/// Expected seconds until a waiting job starts and ends, counted from the engine's
/// answer.
struct QueueTimes: Sendable, Hashable {
  var startsIn: Double?
  var endsIn: Double?
}
