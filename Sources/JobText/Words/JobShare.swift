import InstallJobs

extension JobSnapshot {
  /// Number of requested packages that were changed, and of all requested packages.
  ///
  /// Nil unless the job was aborted: its percentage also counts fetched archives.
  fileprivate var changedCount: (done: Int, all: Int)? {
    guard state == .completed, resultCode == .aborted else { return nil }
    // Packages that were in the requested state before say nothing about the work of the job.
    let updates = updates.filter { $0.note != .alreadyInstalled && $0.note != .notInstalled }
    guard !updates.isEmpty else { return nil }
    return (
      updates.count { $0.resultCode == .succeeded || $0.resultCode == .succeededWithErrors },
      updates.count
    )
  }

  /// The share that a bar shows and by which lists are sorted: 0...1.
  package var shownFraction: Double {
    changedCount.map { Double($0.done) / Double($0.all) }
      ?? percentComplete.bounded(to: 0...100) / 100
  }
}

/// The finished share of a job in figures.
extension JobWords {
  private var changedCount: (done: Int, all: Int)? { job.changedCount }

  /// `61%`; for an aborted job the changed packages: `2 of 6 installed`.
  package var share: String {
    changedCount.map { arrived in
      // Dependencies are not in this count; the words differ if the plan has any.
      let isAll = arrived.all == job.planCount
      return "\(arrived.done) of \(arrived.all) "
        + (isAll ? job.past : "asked for")
    }
      ?? Figures.percent(job.percentComplete)
  }

  /// ``share`` in at most five columns: `61%`, `2/6`.
  package var shortShare: String {
    guard let changedCount else { return Figures.percent(job.percentComplete) }
    let text = "\(changedCount.done)/\(changedCount.all)"
    return text.count <= 5 ? text : "–"
  }

  /// The share that a bar shows, 0...1.
  package var fraction: Double { job.shownFraction }
}

extension JobSnapshot {
  /// The word for a job that only fetches archives, and for its work.
  package static let download = "download"

  /// The operation in one word, as filters use it.
  package var operationWord: String { options.isDownloadOnly ? Self.download : operation.rawValue }

  /// The operation in front of the package names; empty for an installation, which is the default.
  var operationPrefix: String {
    operation == .install && !options.isDownloadOnly ? "" : operationWord + " "
  }

  /// The work in one word.
  package var verb: String { options.isDownloadOnly ? Self.download : operation.verb }

  /// The state of a package after the job: `installed`, `downloaded`.
  package var past: String { options.isDownloadOnly ? UpdatePhase.downloaded.word : operation.past }
}

extension JobOperation {
  /// The state of a package that needs no work: `there`.
  var presence: String { self == .repair ? "whole" : "there" }

  /// The state of a package after the operation: `installed`.
  package var past: String {
    switch self {
    case .install: "installed"
    case .reinstall: "reinstalled"
    case .upgrade: "upgraded"
    case .remove: "removed"
    case .purge: "purged"
    case .repair: "repaired"
    }
  }

  /// The work in one word.
  package var verb: String {
    switch self {
    case .install, .reinstall: "install"
    case .upgrade: "upgrade"
    case .remove: "remove"
    case .purge: "purge"
    case .repair: "repair"
    }
  }
}

extension String {
  /// Whether a provider of this name only simulates.
  package var isSimulated: Bool { hasPrefix("simulated") }
}
