package import InstallJobs

/// The order of a worker, as stored in the job folder's `work.json`.
///
/// The order is complete: the worker reads no plan and no configuration. So the worker stays small,
/// and an engine of another version can follow it.
package struct WorkOrder: Sendable, Hashable, Codable {
  /// One call of a tool.
  package struct Command: Sendable, Hashable, Codable {
    /// The purpose of the call.
    package enum Role: String, Sendable, Hashable, Codable {
      /// Fetches archives; may be ended at any moment.
      case download
      /// Makes dpkg merge the changes noted by an interrupted dpkg; runs first under the package
      /// lock.
      case settle
      /// Prints the operations of the installation, which are compared with `expected`.
      case check
      /// Changes the package database; never receives a signal.
      case install
    }

    package var role: Role
    /// The program's absolute path, then its arguments.
    package var arguments: [String]
    /// The complete environment.
    package var environment: [String: String]

    package init(role: Role, arguments: [String], environment: [String: String]) {
      self.role = role
      self.arguments = arguments
      self.environment = environment
    }
  }

  /// dpkg's operation by which the worker recognises a call that configures packages.
  package static let configureOption = "--configure"

  /// Returns the arguments in front of a command that run it under the lock of a file.
  ///
  /// The command waits for the lock.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isShared: Whether the lock is shared with other shared locks.
  /// - Returns: The first arguments of a command line.
  package static func underLock(_ path: String, isShared: Bool = false) -> [String] {
    // With `--no-fork` the command replaces flock, so that it has flock's process number and
    // receives its signals.
    ["/usr/bin/flock"] + (isShared ? ["--shared"] : []) + ["--no-fork", path]
  }

  /// The calls, in order: downloads, calls that settle earlier work, at most one check,
  /// installations.
  package var commands: [Command]
  /// Marks packages as installed automatically, after all other commands; nil where there are none.
  package var automaticMark: Command?
  /// Marks packages that were installed already as wanted for themselves, after all other commands;
  /// nil where there are none.
  package var manualMark: Command?
  /// dpkg with the options that every call on the root needs, without an operation.
  package var dpkg: Command
  /// The folder of dpkg's database.
  package var adminDirectory: String
  /// The lock that is held from before the check until the end.
  package var frontendLock: String
  /// Time-out of the wait for that lock, in seconds; nil waits without limit.
  package var lockTimeout: Double?
  /// The operations that the check must print, in any order, and no others; see ``WorkSequence``.
  package var expected: Set<String>
  /// Files and folders that determine the check's output.
  ///
  /// While they are unchanged, an earlier check stays valid.
  package var decidingFiles: [String]
  /// The archives to be unpacked; nil in orders of versions without groups.
  package var archives: [Archive]?
  /// Maximum of seconds that configuring a group of packages may take; nil for the default.
  package var stopWithin: Double?
  /// True for a download-only job, which needs no package lock; nil otherwise.
  package var downloadOnly: Bool?
  /// Present where `sequence` is the one printed for the plan; nil where the check must run.
  package var foreseen: Foreseen?

  /// The condition under which the plan's sequence is valid.
  ///
  /// apt's announced operations are compared with the sequence in any case, before dpkg is called.
  package struct Foreseen: Sendable, Hashable, Codable {
    /// The required fingerprint of the deciding files.
    ///
    /// Nil where they may have changed, because new packages cannot break present ones.
    package var state: String?

    package init(state: String?) { self.state = state }
  }

  /// An archive to be unpacked; the order of archives has no meaning.
  package struct Archive: Sendable, Hashable, Codable {
    package var package: String
    package var architecture: String
    /// Its absolute path.
    package var path: String
    /// The name of the copy that apt makes in the job's archive folder and passes to dpkg; nil
    /// where dpkg gets the file itself.
    package var nameInArchives: String?
    /// The size in bytes; nil for a local archive.
    package var size: Int64?
    /// Seconds that configuring this package took before; nil where it was never measured.
    package var configuringSeconds: Double?

    package init(
      package: String, architecture: String, path: String, nameInArchives: String? = nil,
      size: Int64? = nil, configuringSeconds: Double? = nil
    ) {
      self.package = package
      self.architecture = architecture
      self.path = path
      self.nameInArchives = nameInArchives
      self.size = size
      self.configuringSeconds = configuringSeconds
    }
  }

  package init(
    commands: [Command], dpkg: Command, adminDirectory: String, frontendLock: String,
    lockTimeout: Double?, expected: Set<String>, decidingFiles: [String] = [],
    archives: [Archive]? = nil, stopWithin: Double? = nil, foreseen: Foreseen? = nil,
    automaticMark: Command? = nil, manualMark: Command? = nil, isDownloadOnly: Bool = false
  ) {
    downloadOnly = isDownloadOnly ? true : nil
    self.automaticMark = automaticMark
    self.manualMark = manualMark
    self.stopWithin = stopWithin
    self.foreseen = foreseen
    self.commands = commands
    self.dpkg = dpkg
    self.adminDirectory = adminDirectory
    self.frontendLock = frontendLock
    self.lockTimeout = lockTimeout
    self.expected = expected
    self.decidingFiles = decidingFiles
    self.archives = archives
  }
}

/// One line of the job folder's `stages`: a report of the worker itself.
package enum WorkNote: Sendable, Hashable, Codable {
  case downloading
  case waitingForLock(holder: LockHolder?)
  /// What the lock holder does now, in words.
  case holderProgress(String)
  /// The worker holds the lock; apt starts.
  case installing
  /// apt ended early; the worker configures the unpacked packages.
  case finishing
}
