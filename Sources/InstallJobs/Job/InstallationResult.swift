/// How one update ended (rows D4 to D13).
public struct UpdateResult: Sendable, Hashable {
  /// The package's name.
  public let name: String
  /// Its architecture, `all` included.
  public let architecture: String
  /// The result by the package database, not by what the tool said.
  public let code: OperationResultCode
  /// Why it failed; nil unless it did.
  public let error: InstallationError?
  /// Why it is not a plain success or failure (rows D16 to D18).
  public let note: UpdateNote?
  /// Whether it asked for a restart of the machine (row D7).
  public let requiresReboot: Bool
  /// Configuration files of it that were changed on both sides, and which file is in place now.
  public let conffiles: [ConffileChange]

  /// Script, exit status and last lines, when it failed (row D6).
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

/// How a job ended: verified against the package database before anybody saw it.
public struct InstallationResult: Sendable, Hashable {
  /// The overall code, formed from the updates' codes (row D1).
  public let code: OperationResultCode
  /// The first failure that does not merely follow from another, or why the job as a whole failed (rows D2,
  /// D15); nil of a success, and of an abort before which nothing failed.
  public let error: InstallationError?
  /// The package tool's own exit status, for reference only (row D2).
  public let exitStatus: Int32?
  /// Whether a restart of the machine is needed to complete the job (row D3).
  public let requiresReboot: Bool
  /// The packages that asked for it.
  public let rebootReasons: [String]
  /// Remarks on the job's plan, in their order (row V4).
  public let warnings: [UpdateWarning]
  /// What mends what was left behind (row D21).
  public let repairs: [RepairAction]
  /// How the packages of the plan ended, dependencies included; nil of a success, where all are as
  /// planned.
  public let counts: ResultCounts?
  /// One result for each of the job's `updates`, in that order (row D18: never fewer).
  public let updateResults: [UpdateResult]

  /// The result of the update that asked for `name`, or nil when the job has none (row D4).
  ///
  /// With several architectures of one package in the job: that of the first asked for.
  public subscript(_ name: String) -> UpdateResult? { updateResults.first { $0.name == name } }

  /// The result of the update that asked for `name` of one architecture (row D4).
  public subscript(_ name: String, architecture architecture: String) -> UpdateResult? {
    updateResults.first { $0.name == name && $0.architecture == architecture }
  }

  /// The check that is due, or was done, after a restart that the job asked for (row D20).
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
