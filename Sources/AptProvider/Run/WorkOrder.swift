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
      /// Has dpkg take in what an interrupted one has noted, under the lock, before anything is looked at.
      case settle
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

  /// What stands before a command so that it runs under the lock of a file, for which it waits.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isShared: Whether others may hold it at the same time who share it, too.
  /// - Returns: The first arguments of a command line.
  package static func underLock(_ path: String, isShared: Bool = false) -> [String] {
    // The program takes flock's place, so that it has its number and gets its signals.
    ["/usr/bin/flock"] + (isShared ? ["--shared"] : []) + ["--no-fork", path]
  }

  /// The calls, in order: downloads, what settles earlier work, then at most one check, then
  /// installations.
  package var commands: [Command]
  /// Marks packages as installed automatically, after all else; nil where there is nothing to mark.
  package var automaticMark: Command?
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
  /// The archives that will be unpacked; nil in an order of a version that knew no groups.
  package var archives: [Archive]?
  /// The most seconds that configuring packages together is to take; nil for the usual.
  package var stopWithin: Double?
  /// True where the archives are fetched and no more is done, without the package lock; nil otherwise.
  package var downloadOnly: Bool?
  /// There where `sequence` is the one that was printed for the plan; nil where the check must be made.
  package var foreseen: Foreseen?

  /// When the sequence of the plan can be gone by.
  ///
  /// apt's own intention is compared with it all the same, before dpkg is called.
  package struct Foreseen: Sendable, Hashable, Codable {
    /// What the deciding files must be known by; nil where they may have changed, because packages
    /// that are new break nothing that is there.
    package var state: String?

    package init(state: String?) { self.state = state }
  }

  /// An archive that will be unpacked, in any order.
  package struct Archive: Sendable, Hashable, Codable {
    package var package: String
    package var architecture: String
    /// Its absolute path.
    package var path: String
    /// The name of the copy that apt puts among the job's archives and hands to dpkg; nil where that is
    /// the file's own.
    package var nameInArchives: String?
    /// Bytes; nil for one that nobody fetches.
    package var size: Int64?
    /// Seconds that configuring this package took before; nil where nobody has timed it.
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
    automaticMark: Command? = nil, isDownloadOnly: Bool = false
  ) {
    downloadOnly = isDownloadOnly ? true : nil
    self.automaticMark = automaticMark
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
