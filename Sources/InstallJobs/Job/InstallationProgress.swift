/// A job's progress at one moment (rows C1 to C7, C21 to C24): a value, frozen when it was made.
public struct InstallationProgress: Sendable, Hashable {
  /// The state of the job (row C22).
  public let state: JobState
  /// What it waits for.
  public let waitingFor: WaitReason?
  /// 1 for the job that starts next; nil when it is not queued, is paused, or waits for a time or a job of
  /// its own.
  public let queuePosition: Int?
  /// The index in the job's `updates` that the work is done for; nil while no package is worked
  /// on: queued, waiting for a lock, in the final verification (rows C1, C2).
  public let currentIndex: Int?
  /// The name of the package that is really worked on, dependencies included.
  public let currentItem: String?
  /// Share of the current package that is done, 0...1, never falling (row C3).
  public let currentFraction: Double
  /// Share of the whole job that is done, 0...1, never falling; 1 exactly when the job succeeded
  /// and was verified (rows C4, C5).
  public let overallFraction: Double
  /// The result of every update so far, in the order of the job's `updates` (row C6).
  ///
  /// Makes a new array each time; for a single result ask for ``updateResult(at:)``.
  public var updateResults: [UpdateResult] { results.all }
  let results: ResultList
  /// Bytes of the current package's archive that have come; 0 while no package is worked on (row W7).
  public let currentDownloadedBytes: Int64
  /// Bytes of that archive in all; 0 where none is fetched.
  public let currentTotalDownloadBytes: Int64
  /// Bytes fetched so far.
  public let downloadedBytes: Int64
  /// Bytes to fetch in all.
  public let totalDownloadBytes: Int64
  /// When any sign of life was last seen, as the engine told it.
  package let lastActivityAt: Timestamp?
  /// Whether no sign of life came for longer than the engine's threshold (row C21).
  public let isStalled: Bool
  /// What a request to abort would be answered at this moment (row C24).
  public let abortPreview: AbortDisposition

  /// `overallFraction` in percent, 0...100, for screens.
  package var percentComplete: Double { overallFraction * 100 }

  /// The result so far of the update at `index` (row C7).
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
  ///   - snapshot: How the job stands.
  ///   - updates: What was asked for.
  ///   - results: Their results in `snapshot`.
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

  /// A percentage as a share in 0…1, whatever a peer has sent.
  private static func share(_ percent: Double) -> Double { max(0, min(1, percent / 100)) }
}
