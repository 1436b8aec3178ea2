import InstallJobs

extension JobSnapshot {
  /// What was asked for and came about, of all that was asked for; nil for a job that was not
  /// aborted, whose percentage counts what was fetched as well.
  fileprivate var arrived: (done: Int, all: Int)? {
    guard state == .completed, resultCode == .aborted else { return nil }
    // What was as it was wanted before says nothing about what the job did.
    let updates = updates.filter { $0.note != .alreadyInstalled && $0.note != .notInstalled }
    guard !updates.isEmpty else { return nil }
    return (
      updates.count { $0.resultCode == .succeeded || $0.resultCode == .succeededWithErrors },
      updates.count
    )
  }

  /// The share that a bar shows, and that lists are sorted by: 0...1.
  var shownFraction: Double {
    arrived.map { Double($0.done) / Double($0.all) }
      ?? percentComplete.bounded(to: 0...100) / 100
  }
}

/// How much of a job is done, in figures that mean what they say.
extension JobWords {
  private var arrived: (done: Int, all: Int)? { entry.job.arrived }

  /// `61%`; of an aborted job what it changed: `2 of 6 installed`.
  var share: String {
    arrived.map { arrived in
      // The packages that others need are no part of this count: that is said where it differs.
      let isAll = arrived.all == entry.job.planCount
      return "\(arrived.done) of \(arrived.all) "
        + (isAll ? entry.job.past : "asked for")
    }
      ?? Figures.percent(entry.job.percentComplete)
  }

  /// The same in a column of five: `61%`, `2/6`.
  var shortShare: String {
    guard let arrived else { return Figures.percent(entry.job.percentComplete) }
    let text = "\(arrived.done)/\(arrived.all)"
    return text.count <= 5 ? text : "–"
  }

  /// The share that a bar shows, 0...1.
  var fraction: Double { entry.job.shownFraction }
}

extension JobSnapshot {
  /// The word for a job that only fetches archives, and for the work on it.
  static let download = "download"

  /// What is done with the packages, in one word of a filter.
  var operationWord: String { options.isDownloadOnly ? Self.download : operation.rawValue }

  /// The same in front of their names; empty for an installation, which is meant where nothing is said.
  var operationPrefix: String {
    operation == .install && !options.isDownloadOnly ? "" : operationWord + " "
  }

  /// The work in one word.
  var verb: String { options.isDownloadOnly ? Self.download : operation.verb }

  /// What is true of a package when the job is done with it: `installed`, `downloaded`.
  var past: String { options.isDownloadOnly ? UpdatePhase.downloaded.word : operation.past }
}

extension JobOperation {
  /// What is true of a package that needs nothing: `there`.
  var presence: String { self == .repair ? "whole" : "there" }

  /// What is true of a package when it is done: `installed`.
  var past: String {
    switch self {
    case .install: "installed"
    case .reinstall: "reinstalled"
    case .upgrade: "upgraded"
    case .remove: "removed"
    case .purge: "purged"
    case .repair: "repaired"
    }
  }
}
