/// The one error of the public interface: a code to act on, a sentence to show, a next step.
///
/// Expected outcomes of a job (failed, aborted) are result codes, not thrown errors; the error of a
/// job or update is then carried in its result.
public struct InstallationError: Error, Sendable, Hashable, Codable {
  /// What kind of thing went wrong, spelled as in the JSON of the command line.
  ///
  /// The set is open: a newer engine may send codes that this version has no name for.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The spelling in JSON.
    public let rawValue: String
    /// The code with this spelling, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The spelling in JSON.
    public var description: String { rawValue }

    /// The request names no update (row A13).
    public static let noUpdates = Code(rawValue: "noUpdates")
    /// A package, version or architecture is not in the index, or no longer (row A43).
    public static let notApplicable = Code(rawValue: "notApplicable")
    /// The request contradicts itself: two versions of one package (row L6).
    public static let contradiction = Code(rawValue: "contradiction")
    /// The packages cannot be installed together: conflicts, unmet dependencies, holds.
    public static let unresolvable = Code(rawValue: "unresolvable")
    /// A package must not be removed: essential, protected, or needed by others (row A25).
    public static let notUninstallable = Code(rawValue: "notUninstallable")
    /// An exclusive update was asked for together with others (row A17).
    public static let exclusiveConflict = Code(rawValue: "exclusiveConflict")
    /// Another operation holds the machine (rows A14, A15).
    public static let busy = Code(rawValue: "busy")
    /// A restart of the machine must come first (row A16).
    public static let rebootRequiredFirst = Code(rawValue: "rebootRequiredFirst")
    /// The caller's identity does not allow this (row A40).
    public static let notPermitted = Code(rawValue: "notPermitted")
    /// The archive of a package can be had nowhere (row A32).
    public static let sourceUnavailable = Code(rawValue: "sourceUnavailable")
    /// A download ended without the file the plan names.
    public static let downloadFailed = Code(rawValue: "downloadFailed")
    /// A file's hash is not the one in the index.
    public static let hashMismatch = Code(rawValue: "hashMismatch")
    /// A package's script, unpack or removal failed.
    public static let packageFailed = Code(rawValue: "packageFailed")
    /// The tool reported success, the package database says otherwise.
    public static let notVerified = Code(rawValue: "notVerified")
    /// The package asks something and nobody may answer (row A34).
    public static let needsInput = Code(rawValue: "needsInput")
    /// The index moved between plan and start; nothing was done.
    public static let planOutOfDate = Code(rawValue: "planOutOfDate")
    /// Not enough space on a file system.
    public static let noSpace = Code(rawValue: "noSpace")
    /// A package archive is damaged or is not one.
    public static let badArchive = Code(rawValue: "badArchive")
    /// The package root cannot be used.
    public static let badRoot = Code(rawValue: "badRoot")
    /// A bounded wait ran out; what was waited for goes on (row B10).
    public static let timedOut = Code(rawValue: "timedOut")
    /// The task that waited was cancelled; what was waited for goes on.
    public static let cancelled = Code(rawValue: "cancelled")
    /// `cleanUp` was called from a callback of the same job (row B8).
    public static let cleanUpCalledFromCallback = Code(rawValue: "cleanUpCalledFromCallback")
    /// An index outside the list (row C7).
    public static let invalidIndex = Code(rawValue: "invalidIndex")
    /// A value given to the program is malformed.
    public static let invalidArgument = Code(rawValue: "invalidArgument")
    /// No job has this number.
    public static let unknownJob = Code(rawValue: "unknownJob")
    /// The job's state does not allow this.
    public static let invalidState = Code(rawValue: "invalidState")
    /// The job cannot be resumed (row B28).
    public static let cannotResume = Code(rawValue: "cannotResume")
    /// Nothing is staged, so there is nothing to commit (row A27).
    public static let nothingToCommit = Code(rawValue: "nothingToCommit")
    /// No engine answers at the socket.
    public static let engineUnreachable = Code(rawValue: "engineUnreachable")
    /// What answers at the socket is not an engine, or speaks another version.
    public static let protocolMismatch = Code(rawValue: "protocolMismatch")
    /// The worker vanished without leaving its exit status.
    public static let interrupted = Code(rawValue: "interrupted")
    /// The journal cannot be read or written.
    public static let journal = Code(rawValue: "journal")
    /// A fault of this program.
    public static let `internal` = Code(rawValue: "internal")

    /// The codes that this version has names for.
    package static let known: [Code] = [
      .noUpdates, .notApplicable, .contradiction, .unresolvable, .notUninstallable,
      .exclusiveConflict, .busy, .rebootRequiredFirst, .notPermitted, .sourceUnavailable,
      .downloadFailed, .hashMismatch, .packageFailed, .notVerified, .needsInput, .planOutOfDate,
      .noSpace, .badArchive, .badRoot, .timedOut, .cancelled, .cleanUpCalledFromCallback,
      .invalidIndex,
      .invalidArgument, .unknownJob, .invalidState, .cannotResume, .nothingToCommit,
      .engineUnreachable, .protocolMismatch, .interrupted, .journal, .`internal`,
    ]
  }

  /// What may help: waiting, a person, or nothing.
  public enum Class: String, Sendable, Hashable, Codable {
    /// Trying again later may succeed.
    case transient
    /// A person has to change something first.
    case needsHuman
    /// Trying again gives the same.
    case fatal
  }

  /// What kind of thing went wrong.
  public var code: Code
  /// What may help.
  public var `class`: Class
  /// What happened and to what, in one line without a full stop.
  public var message: String
  /// The name of the update it happened to, when it is about one.
  public var update: String?
  /// What the tool said: script name and exit status, a few last lines of output.
  public var detail: String?
  /// What to do next, in one line, for people: an engine names commands of `fettle`, the library its own
  /// calls.
  public var hint: String?
  /// Whether what was asked for may have been done all the same: a request that acts was sent, and its
  /// answer never came.
  ///
  /// Where it is false, nothing was done by this request. In JSON left out where it is false.
  public var mayHaveBeenDone: Bool {
    get { doubt ?? false }
    set { doubt = newValue ? true : nil }
  }
  private var doubt: Bool?

  private enum CodingKeys: String, CodingKey {
    case code, `class`, message, update, detail, hint
    case doubt = "mayHaveBeenDone"
  }

  /// A value of its parts.
  public init(
    _ code: Code, _ message: String, class: Class = .needsHuman, update: String? = nil,
    detail: String? = nil, hint: String? = nil
  ) {
    self.code = code
    self.class = `class`
    self.message = message
    self.update = update
    self.detail = detail
    self.hint = hint
  }
}

extension InstallationError: CustomStringConvertible {
  /// The message, followed by the next step in parentheses.
  public var description: String {
    if let hint { "\(message) (\(hint))" } else { message }
  }
}
