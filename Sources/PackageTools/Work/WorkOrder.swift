package import InstallJobs

/// What a worker is to do, as it stands in the job folder's `work.json`.
///
/// Complete: the worker knows neither plan nor configuration, so that it stays small and an engine
/// of another version can follow it.
package struct WorkOrder: Sendable, Hashable, Codable {
  /// One call of a tool.
  package struct Command: Sendable, Hashable, Codable {
    /// What the call means for the job.
    package enum Role: String, Sendable, Hashable, Codable {
      /// Fetches archives; may be stopped at any moment.
      case download
      /// Prints what the installation will do, which is compared with `expected`.
      case check
      /// Changes the package database; never signalled.
      case install
    }

    package var role: Role
    /// The program's absolute path, then its arguments.
    package var arguments: [String]
    /// The whole environment.
    package var environment: [String: String]

    package init(role: Role, arguments: [String], environment: [String: String]) {
      self.role = role
      self.arguments = arguments
      self.environment = environment
    }
  }

  /// dpkg's operation that the worker tells from one that changes no package.
  package static let configureOption = "--configure"

  /// The calls, in order: downloads, then at most one check, then installations.
  package var commands: [Command]
  /// dpkg with the options that every call on the root needs; the last arguments are left open.
  package var dpkg: Command
  /// The folder of dpkg's database.
  package var adminDirectory: String
  /// The lock that is held from before the check to the end.
  package var frontendLock: String
  /// The longest wait for that lock, in seconds; nil waits for ever.
  package var lockTimeout: Double?
  /// The operations that the check must print, in any order, and no others; see ``WorkSequence``.
  package var expected: Set<String>
  /// Files and folders on which it depends what the check prints: while they are as they were, it
  /// need not be made again.
  package var decidingFiles: [String]

  package init(
    commands: [Command], dpkg: Command, adminDirectory: String, frontendLock: String,
    lockTimeout: Double?, expected: Set<String>, decidingFiles: [String] = []
  ) {
    self.commands = commands
    self.dpkg = dpkg
    self.adminDirectory = adminDirectory
    self.frontendLock = frontendLock
    self.lockTimeout = lockTimeout
    self.expected = expected
    self.decidingFiles = decidingFiles
  }
}

/// One line of the job folder's `stages`: what the worker itself reports.
package enum WorkNote: Sendable, Hashable, Codable {
  case downloading
  case waitingForLock(holder: LockHolder?)
  /// What the lock's holder does now, in words.
  case holderProgress(String)
  /// The lock is held; apt begins.
  case installing
  /// apt has ended early; what was unpacked is configured.
  case finishing
}
