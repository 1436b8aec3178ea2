import InstallJobs

/// Estimated costs of the stages of one step, in seconds.
struct StepCost: Sendable {
  var download: Double
  var unpack: Double
  /// Seconds of configuring or removing the package.
  var work: Double
  /// Whether the cost was learned, for unpacking and for configuring or removing.
  private(set) var isUnpackLearned = true
  private(set) var isWorkLearned = true
  /// Sum of the squared deviations of the learned costs of unpacking and of configuring or
  /// removing.
  private(set) var squares = 0.0

  var total: Double { download + unpack + work }
  var isLearned: Bool { isUnpackLearned && isWorkLearned }

  init(_ step: PlannedUpdate, archive: PlannedArchive?, learned: LearnedCosts) {
    let download = archive.map { archive in
      learned.seconds(ofTransfer: archive)
        ?? CostStage.download.assumedSeconds(for: archive.size)
    }
    self.download = download ?? 0
    (unpack, work) = (0, 0)
    for stage in CostStage.stages(of: step) {
      let known = learned.cost(of: stage, of: step)
      // At least 1 ms: a cost of 0 would give the step no share of the progress.
      let seconds = max(0.001, known?.seconds ?? stage.assumedSeconds(for: step.installedSize))
      if stage == .unpack {
        (unpack, isUnpackLearned) = (seconds, known != nil)
      } else {
        (work, isWorkLearned) = (seconds, known != nil)
      }
      squares += known?.square ?? 0
    }
  }

  /// Creates the cost of a step whose archive is only fetched; its bytes are used in place of
  /// seconds.
  init(fetching archive: PlannedArchive?) {
    (download, unpack, work) = (Double(max(0, archive?.size ?? 0)), 0, 0)
  }

  /// Learned seconds of a stage of the step; nil when they are assumed.
  func learnedSeconds(of stage: CostStage) -> Double? {
    switch stage {
    case .unpack: isUnpackLearned ? unpack : nil
    case .configure, .remove: isWorkLearned ? work : nil
    case .connect, .download, .prepare, .conclude: nil
    }
  }
}
