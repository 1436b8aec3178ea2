/// A job's progress at one moment (rows C1 to C7, C21 to C24); the value never changes.
public struct InstallationProgress: Sendable, Hashable {
  /// The state of the job (row C22).
  public let state: JobState
  /// Why the job is waiting; nil if it is not waiting.
  public let waitingFor: WaitReason?
  /// The place in the queue; 1 is the job that starts next.
  ///
  /// Nil for a job that is not queued, is paused, or waits for a time or for another job.
  public let queuePosition: Int?
  /// The index in the job's `updates` of the update that the current work serves.
  ///
  /// Nil while no package is worked on: in the queue, while waiting for a lock, and during the
  /// final verification (rows C1, C2).
  public let currentIndex: Int?
  /// The name of the package that is being worked on, which may be a dependency.
  public let currentItem: String?
  /// Share of the current package that is done, 0...1; never decreases (row C3).
  public let currentFraction: Double
  /// Share of the whole job that is done, 0...1; never decreases.
  ///
  /// 1 exactly if the job succeeded and was verified (rows C4, C5).
  public let overallFraction: Double
  /// The current result of every update, in the order of the job's `updates` (row C6).
  ///
  /// Creates a new array on each access; use ``updateResult(at:)`` for a single result.
  public var updateResults: [UpdateResult] { results.all }
  let results: ResultList
  /// Bytes downloaded so far of the current package's archive; 0 while no package is worked on (row
  /// W7).
  public let currentDownloadedBytes: Int64
  /// Size in bytes of the current package's archive; 0 if none is downloaded.
  public let currentTotalDownloadBytes: Int64
  /// Bytes downloaded so far of all archives.
  public let downloadedBytes: Int64
  /// Bytes to download in total.
  public let totalDownloadBytes: Int64
  /// When the last sign of life was seen, as reported by the engine.
  package let lastActivityAt: Timestamp?
  /// Whether the last sign of life is older than the engine's threshold (row C21).
  public let isStalled: Bool
  /// The answer that a request to abort would receive now (row C24).
  public let abortPreview: AbortDisposition

  /// `overallFraction` in percent, 0...100.
  package var percentComplete: Double { overallFraction * 100 }

  /// Returns the current result of the update at `index` (row C7).
  ///
  /// - Throws: `invalidIndex` for an index outside the job's `updates`.
  public func updateResult(at index: Int) throws(InstallationError) -> UpdateResult {
    guard (0..<results.count).contains(index) else {
      throw InstallationError(
        .invalidIndex, "there is no update \(index) in a job of \(results.count)",
        class: .fatal, hint: "use an index from 0 to \(results.count - 1)")
    }
    return results[index]
  }

  package init(_ snapshot: JobSnapshot) {
    let updates = RequestedUpdates([], of: snapshot)
    self.init(snapshot, of: updates, results: updates.results(in: snapshot))
  }

  /// - Parameters:
  ///   - snapshot: The snapshot of the job.
  ///   - updates: The requested updates.
  ///   - results: The results of `updates` in `snapshot`.
  init(_ snapshot: JobSnapshot, of updates: RequestedUpdates, results: ResultList) {
    state = snapshot.state
    waitingFor = snapshot.waitingFor
    queuePosition = snapshot.queuePosition
    currentIndex = updates.index(of: snapshot.currentUpdateIndex)
    let current = snapshot.currentStepIndex.flatMap { index in
      snapshot.plan.flatMap { $0.indices.contains(index) ? $0[index] : nil }
    }
    currentItem = current?.name
    currentFraction = Self.share(current?.percentComplete ?? 0)
    currentDownloadedBytes = current?.downloadedBytes ?? 0
    currentTotalDownloadBytes = current?.planned.downloadSize ?? 0
    overallFraction = Self.share(snapshot.percentComplete)
    self.results = results
    downloadedBytes = snapshot.downloadedBytes
    totalDownloadBytes = snapshot.totalDownloadBytes
    lastActivityAt = snapshot.lastActivityAt
    isStalled = snapshot.isStalled
    abortPreview = snapshot.abortPreview
  }

  /// Converts a percentage to a share in 0…1, for any value that a peer sends.
  private static func share(_ percent: Double) -> Double { max(0, min(1, percent / 100)) }
}
