package import InstallJobs

/// The words about one package of a job.
package struct UpdateWords: Sendable {
  /// The package.
  package let status: UpdateStatus
  /// What is known about its progress.
  package private(set) var gauge: UpdateGauge
  /// Whether the job has ended.
  package let isJobOver: Bool
  /// Whether the job works on the package.
  package let isCurrent: Bool
  /// Whether the byte count is that of the beginning of the phase, as in a replay.
  private var isRecorded = false
  /// The time by the engine's clock; nil if it is unknown.
  package var time: Timestamp?

  /// - Parameters:
  ///   - status: The package.
  ///   - isJobOver: Whether the job has ended.
  ///   - isCurrent: Whether the job works on the package.
  package init(_ status: UpdateStatus, isJobOver: Bool, isCurrent: Bool) {
    self.status = status
    gauge = UpdateGauge(status)
    self.isJobOver = isJobOver
    self.isCurrent = isCurrent
  }

  /// Marks the status as recorded in a journal, which does not hold the byte counts of a running
  /// download.
  package mutating func useRecordedTimes() {
    isRecorded = true
    if gauge == .measured, !isJobOver { gauge = .unknown }
  }

  /// The mark that gives the glyph and the role.
  package var mark: JobMark {
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
  package var versions: String {
    switch (status.planned.fromVersion, status.planned.toVersion) {
    case (nil, nil): ""
    case (nil, let to?): to
    case (let from?, nil): from
    case (let from?, let to?): from == to ? to : "\(from) → \(to)"
    }
  }

  /// The stage: `download`, `unpack 2/3`, `installed`, `not started`.
  package var stage: String {
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

  /// Whether the job has ended without changing the package; fetching an archive changes nothing.
  package var isUnbegun: Bool {
    guard isJobOver, status.phase <= .downloaded else { return false }
    return status.resultCode != .succeeded && status.resultCode != .succeededWithErrors
  }

  /// The finished share in per cent; nil if the stage says enough.
  ///
  /// The percentage is that of the expected time of all stages. After the fetch each package
  /// therefore has a different value, which does not change until its turn; it is not shown then.
  package var share: String? {
    if !isJobOver, status.phase == .downloaded, !status.resultCode.isFinal { return nil }
    if isUnbegun { return nil }
    return Figures.percent(status.percentComplete)
  }

  /// The stage in at most ten letters.
  package var shortStage: String {
    guard !isJobOver, !status.resultCode.isFinal, status.phase == .configuring else { return stage }
    return "config" + stageNumber
  }

  /// How long the phase has lasted, for phases without other measure: `1m05s`, in at most `columns`
  /// columns; nil for other phases.
  package func elapsed(columns: Int) -> String? {
    guard gauge == .unknown, !isJobOver, let time, let begin = status.phaseTimes[status.phase]
    else {
      return nil
    }
    return Figures.elapsed(time.seconds(since: begin), columns: columns)
  }

  private var stageNumber: String {
    isWorking ? gauge.stage.map { " " + $0 } ?? "" : ""
  }

  /// The remark beside the stage: error, reason, changed conffiles, bytes or size.
  package var remark: String {
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
  /// `/etc/x kept, the new version is /etc/x.dpkg-dist`, and the number of further changes.
  package var sentence: String {
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
  /// Why the package is in the plan without a request.
  ///
  /// A package that is only configured was left half done by an earlier run; dpkg configures it
  /// together with the requested packages.
  package var reasonUnasked: String {
    if action.removes { return "not asked for" }
    return action == .configure ? "left half done before" : "dependency"
  }
}

extension PlannedAction {
  /// The word for the finished action.
  package var past: String {
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

extension UpdatePhase {
  /// The word for a package at work; nil if it is not begun, only fetched, or done.
  package var work: String? {
    switch self {
    case .pending, .downloaded, .done: nil
    case .downloading, .unpacking, .unpacked, .configuring, .removing, .triggers: word
    }
  }

  /// The word for the phase.
  package var word: String {
    switch self {
    case .pending: "waits"
    case .downloading: "download"
    case .downloaded: "downloaded"
    case .unpacking: "unpack"
    case .unpacked: "unpacked"
    case .configuring: "configure"
    case .removing: "remove"
    case .triggers: "triggers"
    case .done: "done"
    }
  }
}
