/// A stage of the work whose duration is learned.
///
/// The raw value is its name in the journal.
package enum CostStage: String, Sendable, Hashable, CaseIterable {
  /// From the begin of the download to the first bytes of an archive.
  case connect
  /// The transfer of all archives of a job.
  case download
  /// From the end of the downloads, or of the wait for the lock, to the first package.
  case prepare
  case unpack
  case configure
  /// A removal or a purge.
  case remove
  /// From the last package to the verified result, including the triggers at the end.
  case conclude

  /// Whether the duration depends on the host of the archives, not on this machine.
  var isTransfer: Bool { self == .connect || self == .download }

  /// The expected duration without learned samples.
  ///
  /// Also the scale by which durations of packages of different size are compared.
  ///
  /// - Parameter bytes: Installed size for ``unpack``, archive size for ``download``.
  /// - Returns: Seconds; 0 for stages of the job as a whole.
  func assumedSeconds(for bytes: Int64) -> Double {
    let megabyte = 1_048_576.0
    switch self {
    case .connect, .prepare, .conclude: return 0
    case .download: return 0.05 + Double(bytes) / (5 * megabyte)
    case .unpack: return 0.1 + Double(bytes) / (80 * megabyte)
    case .configure, .remove: return 0.15
    }
  }
}
