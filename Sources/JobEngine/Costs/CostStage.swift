/// A stretch of the work that has a length of its own, by the name under which it is learned.
package enum CostStage: String, Sendable, Hashable, CaseIterable {
  /// From the begin of the download to the first sign of an archive.
  case connect
  /// The transfer of all archives of a job.
  case download
  /// From the end of the downloads, or of the wait for the lock, to the first package.
  case prepare
  case unpack
  case configure
  /// A removal or a purge.
  case remove
  /// From the last package to the verified result, the triggers at the end included.
  case conclude

  /// Whether it depends on the host that archives come from, not on this machine.
  var isTransfer: Bool { self == .connect || self == .download }

  /// The expected seconds where nothing was ever learned; also the shape by which one package's
  /// duration is compared with another's.
  ///
  /// - Parameter bytes: Installed size for ``unpack``, archive size for ``download``.
  /// - Returns: Seconds; 0 for what the job as a whole spends.
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
