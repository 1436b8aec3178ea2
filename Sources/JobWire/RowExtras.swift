internal import InstallJobs

/// The fields of a job that few jobs have, as one JSON object in the row with only the fields that
/// are set.
struct RowExtras: Codable {
  private var options: InstallationOptions?
  private var abort: AbortRecord?
  private var error: InstallationError?
  private var rebootRequired: Bool?
  private var rebootReasons: [String]?
  private var afterReboot: RebootVerification?
  private var interruptedAt: Timestamp?
  private var workEndedAt: Timestamp?
  private var counts: ResultCounts?
  private var activity: String?
  private var isStalled: Bool?
  private var stall: StallCause?
  private var repairs: [RepairAction]?
  private var isCleanedUp: Bool?
  private var warnings: [UpdateWarning]?
  /// Whether none of the fields is set.
  let isEmpty: Bool

  private enum CodingKeys: String, CodingKey {
    case options, abort, error, rebootRequired, rebootReasons, afterReboot, activity, isStalled
    case stall, repairs, isCleanedUp, interruptedAt, workEndedAt, counts, warnings
  }

  /// The fields of `job`.
  init(_ job: JobSnapshot) {
    var usual = InstallationOptions()
    usual.clientName = job.options.clientName
    usual.comment = job.options.comment
    options = job.options == usual ? nil : job.options
    abort = job.abort
    error = job.error
    rebootRequired = job.requiresReboot ? true : nil
    rebootReasons = job.rebootReasons.isEmpty ? nil : job.rebootReasons
    afterReboot = job.afterReboot
    interruptedAt = job.interruptedAt
    workEndedAt = job.workEndedAt
    counts = job.counts
    activity = job.activity
    isStalled = job.isStalled ? true : nil
    stall = job.stall
    repairs = job.repairs.isEmpty ? nil : job.repairs
    isCleanedUp = job.isCleanedUp ? true : nil
    warnings = job.warnings.isEmpty ? nil : job.warnings
    isEmpty =
      options == nil && abort == nil && error == nil && rebootRequired == nil
      && rebootReasons == nil && afterReboot == nil && activity == nil && isStalled == nil
      && stall == nil && repairs == nil && isCleanedUp == nil && interruptedAt == nil
      && workEndedAt == nil && counts == nil && warnings == nil
  }

  init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    options = try box.decodeIfPresent(InstallationOptions.self, forKey: .options)
    abort = try box.decodeIfPresent(AbortRecord.self, forKey: .abort)
    error = try box.decodeIfPresent(InstallationError.self, forKey: .error)
    rebootRequired = try box.decodeIfPresent(Bool.self, forKey: .rebootRequired)
    rebootReasons = try box.decodeIfPresent([String].self, forKey: .rebootReasons)
    afterReboot = try box.decodeIfPresent(RebootVerification.self, forKey: .afterReboot)
    interruptedAt = try box.decodeIfPresent(Timestamp.self, forKey: .interruptedAt)
    workEndedAt = try box.decodeIfPresent(Timestamp.self, forKey: .workEndedAt)
    counts = try box.decodeIfPresent(ResultCounts.self, forKey: .counts)
    activity = try box.decodeIfPresent(String.self, forKey: .activity)
    isStalled = try box.decodeIfPresent(Bool.self, forKey: .isStalled)
    stall = try box.decodeIfPresent(StallCause.self, forKey: .stall)
    repairs = try box.decodeIfPresent([RepairAction].self, forKey: .repairs)
    isCleanedUp = try box.decodeIfPresent(Bool.self, forKey: .isCleanedUp)
    warnings = try box.decodeIfPresent([UpdateWarning].self, forKey: .warnings)
    isEmpty = false
  }

  /// Sets the fields of a job that was read.
  func fill(_ job: inout JobSnapshot) {
    if let options { job.options = options }
    job.abort = abort
    job.error = error
    job.requiresReboot = rebootRequired ?? false
    job.rebootReasons = rebootReasons ?? []
    job.afterReboot = afterReboot
    job.interruptedAt = interruptedAt
    job.workEndedAt = workEndedAt
    job.counts = counts
    job.activity = activity
    job.isStalled = isStalled ?? false
    job.stall = stall
    job.repairs = repairs ?? []
    job.isCleanedUp = isCleanedUp ?? false
    job.warnings = warnings ?? []
  }
}
