/// The check of a job's packages after the restart of the machine that the job asked for (row D20).
///
/// The check is pending from the end of the job. The first engine that starts with another boot id
/// performs it once.
public struct RebootVerification: Sendable, Hashable, Codable {
  /// The outcome of the check.
  public enum Outcome: String, Sendable, Hashable, Codable {
    /// The machine has not been restarted since the job.
    case pending
    /// After the restart, every package that the job installed is as the job left it.
    case confirmed
    /// After the restart, at least one package is not as the job left it; `message` names the
    /// first.
    case contradicted
  }

  /// The outcome of the check.
  public var outcome: Outcome
  /// The kernel's boot id when the job ended (`/proc/sys/kernel/random/boot_id`).
  public var bootID: String
  /// When the check was performed; nil while it is pending.
  package var checkedAt: Timestamp?
  /// The difference, for display.
  public var message: String?

  /// Creates a value from its parts.
  package init(
    _ outcome: Outcome, bootID: String, checkedAt: Timestamp? = nil, message: String? = nil
  ) {
    self.outcome = outcome
    self.bootID = bootID
    self.checkedAt = checkedAt
    self.message = message
  }
}
