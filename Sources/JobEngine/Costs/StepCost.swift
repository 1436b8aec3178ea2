import InstallJobs

/// What the stages of one step of a plan cost, in estimated seconds.
struct StepCost: Sendable {
  var download: Double
  var unpack: Double
  /// Configuring, or removing.
  var work: Double
  /// Whether unpacking and working were learned.
  private(set) var isUnpackLearned = true
  private(set) var isWorkLearned = true
  /// The squares of the deviations of unpacking and working, where they were learned.
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
      // A median of nothing would make a share of nothing.
      let seconds = max(0.001, known?.seconds ?? stage.assumedSeconds(for: step.installedSize))
      if stage == .unpack {
        (unpack, isUnpackLearned) = (seconds, known != nil)
      } else {
        (work, isWorkLearned) = (seconds, known != nil)
      }
      squares += known?.square ?? 0
    }
  }

  /// Of a step of which only the archive is fetched: its bytes stand for seconds.
  init(fetching archive: PlannedArchive?) {
    (download, unpack, work) = (Double(max(0, archive?.size ?? 0)), 0, 0)
  }

  /// Seconds of a stage of the step as they were learned; nil where they are assumed.
  func learnedSeconds(of stage: CostStage) -> Double? {
    switch stage {
    case .unpack: isUnpackLearned ? unpack : nil
    case .configure, .remove: isWorkLearned ? work : nil
    case .connect, .download, .prepare, .conclude: nil
    }
  }
}
