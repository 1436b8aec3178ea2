import InstallJobs

/// What the monitor says about one package of a job.
struct UpdateWords: Sendable {
  let status: UpdateStatus
  private(set) var gauge: UpdateGauge
  /// Whether the job that it belongs to is over.
  let isJobOver: Bool
  let isCurrent: Bool
  /// Whether figures are those of the beginning of its phase.
  private var isRecorded = false
  /// The time by the engine's clock; nil where nothing is counted on.
  var time: Timestamp?

  init(_ status: UpdateStatus, isJobOver: Bool, isCurrent: Bool) {
    self.status = status
    gauge = UpdateGauge(status)
    self.isJobOver = isJobOver
    self.isCurrent = isCurrent
  }

  /// As it was recorded: how many bytes of an archive had come is not known while it was fetched.
  mutating func useRecordedTimes() {
    isRecorded = true
    if gauge == .measured, !isJobOver { gauge = .unknown }
  }

  /// The state that its glyph and colour are taken from.
  var mark: JobMark {
    switch status.resultCode {
    case .succeeded: .done
    case .succeededWithErrors: .warned
    case .failed: .failed
    case .aborted: .aborted
    case .notStarted, .inProgress:
      switch gauge {
      case .none: .queued
      case .stepped where !isCurrent && !isWorking: .queued
      case .measured, .stepped, .unknown, .over: isJobOver ? .queued : .running
      }
    }
  }

  private var isWorking: Bool {
    status.phase == .unpacking || status.phase == .configuring
  }

  /// `1.24.0-2`, `3.0.15 → 3.0.16`.
  var versions: String {
    switch (status.planned.fromVersion, status.planned.toVersion) {
    case (nil, nil): ""
    case (nil, let to?): to
    case (let from?, nil): from
    case (let from?, let to?): from == to ? to : "\(from) → \(to)"
    }
  }

  /// The stage: `download`, `unpack 2/3`, `installed`, `not started`.
  var stage: String {
    switch status.note {
    case .alreadyInstalled: return "there already"
    case .notInstalled: return "not there"
    case .notReached where status.resultCode == .succeeded: return "left out"
    case .notReached where status.planned.keptBack != nil: return "stays"
    case .notReached: return "not started"
    case .fetched where isJobOver: return "fetched only"
    case .keptConfiguration, .fetched, .alreadyDownloaded, nil: break
    }
    switch status.resultCode {
    case .succeeded where status.phase == .downloaded: return status.phase.word
    case .succeeded, .succeededWithErrors: return status.planned.action.past
    case .failed: return "failed"
    case .aborted: return "aborted"
    case .notStarted, .inProgress: break
    }
    if isJobOver, status.phase == .downloading { return "partial" }
    if isJobOver { return status.phase == .pending ? "not started" : status.phase.word }
    return status.phase.word + stageNumber
  }

  /// Whether the job has ended without a hand laid on the package: an archive that came is no share
  /// of what was wanted.
  var isUnbegun: Bool {
    guard isJobOver, status.phase <= .downloaded else { return false }
    return status.resultCode != .succeeded && status.resultCode != .succeededWithErrors
  }

  /// The share that is done; nil where the stage says all there is to know.
  ///
  /// A share is one of the expected time of all stages, so that a fetched archive leaves each package
  /// at another number, and nothing of it moves until its turn comes.
  var share: String? {
    if !isJobOver, status.phase == .downloaded, !status.resultCode.isFinal { return nil }
    if isUnbegun { return nil }
    return Figures.percent(status.percentComplete)
  }

  /// The stage in at most ten letters.
  var shortStage: String {
    guard !isJobOver, !status.resultCode.isFinal, status.phase == .configuring else { return stage }
    return "config" + stageNumber
  }

  /// How long its phase has been going on, where nothing else can be known of it: `1m05s`, in at
  /// most so many columns.
  func elapsed(columns: Int) -> String? {
    guard gauge == .unknown, !isJobOver, let time, let begin = status.phaseTimes[status.phase]
    else {
      return nil
    }
    return Figures.elapsed(time.seconds(since: begin), columns: columns)
  }

  private var stageNumber: String {
    isWorking ? gauge.stage.map { " " + $0 } ?? "" : ""
  }

  /// What is worth saying beside it: bytes while fetching, the size before, the error after.
  var remark: String {
    if let error = status.error { return error.detail ?? error.message }
    if let reason = status.planned.keptBack { return reason }
    if !status.conffiles.isEmpty { return status.conffiles.sentence }
    if status.note == .keptConfiguration { return "kept conffiles" }
    if status.note == .alreadyDownloaded { return "was there before" }
    if status.requiresReboot { return "restart needed" }
    let size = status.planned.downloadSize
    switch status.phase {
    case .downloading where isRecorded && !isJobOver:
      return size > 0 ? Figures.bytes(size) : "size unknown"
    case .downloading:
      return size > 0 ? Figures.bytes(status.downloadedBytes, of: size) : "size unknown"
    case .pending where !isJobOver: return size > 0 ? Figures.bytes(size) : ""
    default: return status.planned.requested ? "" : status.planned.reasonUnasked
    }
  }
}

extension [ConffileChange] {
  /// `/etc/x kept, the new version is /etc/x.dpkg-dist`, and how many more.
  var sentence: String {
    guard let first else { return "" }
    let change =
      switch first.outcome {
      case .kept: "\(first.path) kept, the new version is \(first.other)"
      case .replaced: "\(first.path) replaced, the old one is \(first.other)"
      }
    return change + (count > 1 ? " (and \(count - 1) more)" : "")
  }
}

extension PlannedUpdate {
  /// Why it is worked on though nobody asked for it.
  ///
  /// A package that is only configured was left half done by an earlier run; dpkg finishes it along
  /// with whatever is asked for.
  var reasonUnasked: String { action == .configure ? "left half done before" : "dependency" }
}

extension PlannedAction {
  /// What has been done when it is done.
  var past: String {
    switch self {
    case .install: "installed"
    case .upgrade: "upgraded"
    case .downgrade: "downgraded"
    case .reinstall: "reinstalled"
    case .remove: "removed"
    case .purge: "purged"
    case .configure: "configured"
    }
  }
}
