/// The result of one update (rows D4 to D13).
public struct UpdateResult: Sendable, Hashable {
  /// The package's name.
  public let name: String
  /// The package's architecture; may be `all`.
  public let architecture: String
  /// The result according to the package database, not to the output of the package tool.
  public let code: OperationResultCode
  /// Why the update failed; nil if it did not fail.
  public let error: InstallationError?
  /// A remark if the update is neither a plain success nor a failure (rows D16 to D18).
  public let note: UpdateNote?
  /// Whether the package asked for a restart of the machine (row D7).
  public let requiresReboot: Bool
  /// The package's configuration files that changed on the machine and in the package, with the
  /// file now in place.
  public let conffiles: [ConffileChange]

  /// The failed script, its exit status and its last lines of output, if the update failed (row
  /// D6).
  public var detail: String? { error?.detail }

  package init(_ status: UpdateStatus) {
    name = status.planned.name
    architecture = status.planned.architecture
    code = status.resultCode
    error = status.error
    note = status.note
    requiresReboot = status.requiresReboot
    conffiles = status.conffiles
  }
}

/// The result of a job, verified against the package database before it is published.
public struct InstallationResult: Sendable, Hashable {
  /// The overall code, derived from the codes of the updates (row D1).
  public let code: OperationResultCode
  /// The first failure that is not a consequence of another, or the failure of the job as a whole
  /// (rows D2, D15).
  ///
  /// Nil for a success, and for an abort without an earlier failure.
  public let error: InstallationError?
  /// The package tool's exit status, for information only (row D2).
  public let exitStatus: Int32?
  /// Whether a restart of the machine is needed to complete the job (row D3).
  public let requiresReboot: Bool
  /// The packages that asked for the restart.
  public let rebootReasons: [String]
  /// Warnings about the job's plan, in order (row V4).
  public let warnings: [UpdateWarning]
  /// The actions that repair the packages that the job left incomplete (row D21).
  public let repairs: [RepairAction]
  /// Counts of the plan's packages by result, including dependencies.
  ///
  /// Nil for a success, since all packages are as planned.
  public let counts: ResultCounts?
  /// One result for each of the job's `updates`, in that order; never fewer (row D18).
  public let updateResults: [UpdateResult]

  /// The result of the update with the package `name`; nil if the job has none (row D4).
  ///
  /// If the job has the package for several architectures, this is the first requested one.
  public subscript(_ name: String) -> UpdateResult? { updateResults.first { $0.name == name } }

  /// The result of the update with the package `name` and this architecture (row D4).
  public subscript(_ name: String, architecture architecture: String) -> UpdateResult? {
    updateResults.first { $0.name == name && $0.architecture == architecture }
  }

  /// The check of the packages after a restart that the job asked for: pending or done (row D20).
  public let afterReboot: RebootVerification?

  init(_ snapshot: JobSnapshot, of updates: RequestedUpdates) {
    code = snapshot.resultCode
    error = snapshot.error
    exitStatus = snapshot.exitStatus
    requiresReboot = snapshot.requiresReboot
    rebootReasons = snapshot.rebootReasons
    warnings = snapshot.warnings
    repairs = snapshot.repairs
    counts = snapshot.counts
    afterReboot = snapshot.afterReboot
    updateResults = updates.results(in: snapshot).all
  }
}
