/// Where a job is in its life, in the words of the JSON contract (row C22).
public enum JobState: String, Sendable, Hashable, Codable, CaseIterable {
  /// Accepted and waiting for its turn; `waitingFor` says for what.
  case queued
  /// Archives are being fetched. No package lock is held.
  case downloading
  /// Somebody else holds the package lock; `waitingFor` names them.
  case waitingForLock
  /// dpkg works.
  case installing
  /// A package asks something.
  case waitingForInput
  /// An abort was accepted; the work goes on to the named boundary.
  case stopping
  /// Stopped between two packages on request, to be resumed.
  case suspended
  /// The tools are done; the package database is being compared with the plan.
  case finalizing
  /// Over, with a final result code.
  case completed
  /// The worker is gone without a word; what it left behind is known from the package database.
  case interrupted

  /// Whether the job is over for good.
  public var isFinal: Bool { self == .completed || self == .interrupted }

  /// Whether the job goes on by its own pace, so that an end can be foreseen.
  var isWork: Bool {
    switch self {
    case .downloading, .installing, .waitingForInput, .stopping, .finalizing: true
    case .queued, .waitingForLock, .suspended, .completed, .interrupted: false
    }
  }

  /// The states in which a job does not work because something else comes first: what every list
  /// and filter calls `waiting`.
  package static let waiting: Set<JobState> = [.queued, .waitingForLock, .suspended]
}

/// Who holds a package lock.
public struct LockHolder: Sendable, Hashable, Codable {
  /// Its process id.
  public var pid: Int32
  /// The holder's command name, sanitised; nil when it cannot be read.
  public var command: String?
  /// Whether it ends in order when it is asked to, see ``UpdateSession/askLockHolderToYield()``.
  public var canYield = false

  /// A value of its parts.
  public init(pid: Int32, command: String? = nil) {
    self.pid = pid
    self.command = command
  }

  private enum CodingKeys: String, CodingKey {
    case pid, command, canYield
  }

  /// Reads what an older version wrote, too, which knew nobody that can be asked.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    pid = try box.decode(Int32.self, forKey: .pid)
    command = try box.decodeIfPresent(String.self, forKey: .command)
    canYield = try box.decodeIfPresent(Bool.self, forKey: .canYield) ?? false
  }
}

/// Why a job does not go on at the moment.
public struct WaitReason: Sendable, Hashable, Codable {
  /// The kinds of things that jobs wait for.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// Another job of this engine runs or goes first.
    case job
    /// A foreign process holds the package lock.
    case lock
    /// The queue is paused, or the job is held.
    case paused
    /// Its time has not come.
    case time
    /// A question is open.
    case question
  }

  /// What kind of thing is waited for.
  public var kind: Kind
  /// One line for people.
  public var message: String
  /// The job that is waited for.
  public var job: JobID?
  /// Who holds the package lock, when that is what is waited for.
  public var holder: LockHolder?
  /// Of `paused`: what keeps the whole queue; nil where only this job is held.
  public var cause: QueuePause.Cause?
  /// Of `paused`: who asked for it.
  public var by: Requester?
  /// Of `paused`: since when.
  package var since: Timestamp?

  /// A value of its parts.
  public init(_ kind: Kind, _ message: String, job: JobID? = nil, holder: LockHolder? = nil) {
    self.kind = kind
    self.message = message
    self.job = job
    self.holder = holder
  }

  /// What keeps a job whose queue is paused.
  public init(_ pause: QueuePause) {
    self.init(.paused, pause.message)
    cause = pause.cause
    by = pause.by
    since = pause.since
  }

  /// Whether it is this job that is held, by somebody who asked for it.
  ///
  /// Engines that knew no causes named nobody where the queue stood still for the package index.
  public var isHold: Bool { kind == .paused && cause == nil && by != nil }
}
