/// How long the work of a job takes by what its packages cost on this machine before.
///
/// Told apart by what the work needs: archives can be fetched while another job has the package
/// system.
public struct ExpectedWork: Sendable, Hashable, Codable {
  /// Seconds until all archives are there; 0 where none is to be fetched.
  package var downloadSeconds: Double
  /// Seconds from there to the verified result.
  package var packageSeconds: Double
  /// How far the sum may be off in either direction, in seconds; see ``JobSnapshot/etaSpreadSeconds``.
  package var spreadSeconds: Double

  /// A value of its parts.
  package init(downloadSeconds: Double, packageSeconds: Double, spreadSeconds: Double) {
    self.downloadSeconds = downloadSeconds
    self.packageSeconds = packageSeconds
    self.spreadSeconds = spreadSeconds
  }

  /// Seconds from the job's turn to its end where nothing is fetched before.
  package var seconds: Double { downloadSeconds + packageSeconds }
}

/// When a job that waits has its turn and is over, counted from the moment it was asked for.
struct QueueTimes: Sendable, Hashable {
  var startsIn: Double?
  var endsIn: Double?
}
