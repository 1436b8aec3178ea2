/// The state of a job, spelled as in the JSON contract (row C22).
public enum JobState: String, Sendable, Hashable, Codable, CaseIterable {
  /// Accepted and waiting to start; `waitingFor` has the reason.
  case queued
  /// Downloading archives. The package lock is not held.
  case downloading
  /// A foreign process holds the package lock; `waitingFor` names it.
  case waitingForLock
  /// dpkg is working.
  case installing
  /// A package asks a question.
  case waitingForInput
  /// An abort was accepted; the work continues up to the promised package.
  case stopping
  /// Paused between two packages; can be resumed.
  case suspended
  /// The package tools have ended; the package database is being compared with the plan.
  case finalizing
  /// Over, with a final result code.
  case completed
  /// Over: the worker vanished without an exit status, and the results were read from the package
  /// database.
  case interrupted

  /// Whether the job is over.
  public var isFinal: Bool { self == .completed || self == .interrupted }

  /// Whether the job works at its own pace, so that its end can be estimated.
  var isWork: Bool {
    switch self {
    case .downloading, .installing, .waitingForInput, .stopping, .finalizing: true
    case .queued, .waitingForLock, .suspended, .completed, .interrupted: false
    }
  }

  /// The states in which a job waits for something else; lists and filters call them `waiting`.
  package static let waiting: Set<JobState> = [.queued, .waitingForLock, .suspended]
}

/// The process that holds a package lock.
public struct LockHolder: Sendable, Hashable, Codable {
  /// The process id.
  public var pid: Int32
  /// The command name, sanitised; nil if it cannot be read.
  public var command: String?
  /// Whether the process ends properly on request, see ``UpdateSession/askLockHolderToYield()``.
  public var canYield = false

  /// Creates a value from its parts.
  public init(pid: Int32, command: String? = nil) {
    self.pid = pid
    self.command = command
  }

  private enum CodingKeys: String, CodingKey {
    case pid, command, canYield
  }

  /// Decodes a lock holder; `canYield` is false in the form of an older version, which lacks it.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    pid = try box.decode(Int32.self, forKey: .pid)
    command = try box.decodeIfPresent(String.self, forKey: .command)
    canYield = try box.decodeIfPresent(Bool.self, forKey: .canYield) ?? false
  }
}

/// Why a job is waiting at the moment.
public struct WaitReason: Sendable, Hashable, Codable {
  /// The kinds of reasons.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// Another job of this engine runs or comes first.
    case job
    /// A foreign process holds the package lock.
    case lock
    /// The queue or the job is paused.
    case paused
    /// The job's start time has not come.
    case time
    /// A question is not answered yet.
    case question
  }

  /// The kind of reason.
  public var kind: Kind
  /// One line for display.
  public var message: String
  /// The job that this job waits for.
  public var job: JobID?
  /// The process that holds the package lock, if the job waits for it.
  public var holder: LockHolder?
  /// For `paused`: the cause of the pause of the whole queue; nil if only this job is paused.
  public var cause: QueuePause.Cause?
  /// For `paused`: the user who requested the pause.
  public var by: Requester?
  /// For `paused`: when the pause started.
  package var since: Timestamp?

  /// Creates a value from its parts.
  public init(_ kind: Kind, _ message: String, job: JobID? = nil, holder: LockHolder? = nil) {
    self.kind = kind
    self.message = message
    self.job = job
    self.holder = holder
  }

  /// Creates the reason for a job whose queue is paused.
  public init(_ pause: QueuePause) {
    self.init(.paused, pause.message)
    cause = pause.cause
    by = pause.by
    since = pause.since
  }

  /// Whether a user paused this job itself, not the whole queue.
  ///
  /// Older engines without causes gave no user when the queue was paused for the package index.
  public var isJobPause: Bool { kind == .paused && cause == nil && by != nil }
}
