/// The check of a job's packages after the restart of the machine that the job asked for (row D20).
///
/// Due from the end of the job on; done once, by the first engine that starts with another boot id.
public struct RebootVerification: Sendable, Hashable, Codable {
  /// What is known.
  public enum Outcome: String, Sendable, Hashable, Codable {
    /// The machine has not been restarted since the job.
    case pending
    /// After the restart every package that the job brought is as the job left it.
    case confirmed
    /// After the restart some package is not as the job left it; `message` names the first.
    case contradicted
  }

  /// What was found.
  public var outcome: Outcome
  /// The kernel's boot id under which the job ended (`/proc/sys/kernel/random/boot_id`).
  public var bootID: String
  /// When the check was done; nil while it is pending.
  package var checkedAt: Timestamp?
  /// What differs, for people.
  public var message: String?

  /// A value of its parts.
  package init(
    _ outcome: Outcome, bootID: String, checkedAt: Timestamp? = nil, message: String? = nil
  ) {
    self.outcome = outcome
    self.bootID = bootID
    self.checkedAt = checkedAt
    self.message = message
  }
}
