/// The only error type of the public interface: a code for programs, a message and a hint for
/// people.
///
/// A job that fails or is aborted throws no error: its result has a result code, and the error of a
/// job or update is part of its result.
public struct InstallationError: Error, Sendable, Hashable, Codable {
  /// The kind of error, spelled as in the JSON of the command line.
  ///
  /// The set is open: a newer engine may send codes that this version does not know.
  public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The spelling in JSON.
    public let rawValue: String
    /// Creates the code with this spelling, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The spelling in JSON.
    public var description: String { rawValue }

    /// The request names no update (row A13).
    public static let noUpdates = Code(rawValue: "noUpdates")
    /// A package, version or architecture is not, or no longer, in the index (row A43).
    public static let notApplicable = Code(rawValue: "notApplicable")
    /// The request contradicts itself: two versions of one package (row L6).
    public static let contradiction = Code(rawValue: "contradiction")
    /// The packages cannot be installed together: conflicts, unmet dependencies, holds.
    public static let unresolvable = Code(rawValue: "unresolvable")
    /// A package must not be removed: it is essential, protected, or needed by others (row A25).
    public static let notUninstallable = Code(rawValue: "notUninstallable")
    /// An exclusive update was requested together with others (row A17).
    public static let exclusiveConflict = Code(rawValue: "exclusiveConflict")
    /// Another operation uses the machine (rows A14, A15).
    public static let busy = Code(rawValue: "busy")
    /// The machine must be restarted first (row A16).
    public static let rebootRequiredFirst = Code(rawValue: "rebootRequiredFirst")
    /// The user may not do this (row A40).
    public static let notPermitted = Code(rawValue: "notPermitted")
    /// No source has the archive of a package (row A32).
    public static let sourceUnavailable = Code(rawValue: "sourceUnavailable")
    /// A command that the machine's settings have the package tools run failed after the work.
    public static let hookFailed = Code(rawValue: "hookFailed")
    /// A download ended without the file that the plan names.
    public static let downloadFailed = Code(rawValue: "downloadFailed")
    /// A file's hash differs from the hash in the index.
    public static let hashMismatch = Code(rawValue: "hashMismatch")
    /// A package's script, unpack or removal failed.
    public static let packageFailed = Code(rawValue: "packageFailed")
    /// The tool reported success, but the package database differs from the plan.
    public static let notVerified = Code(rawValue: "notVerified")
    /// The package asks a question that nobody can answer (row A34).
    public static let needsInput = Code(rawValue: "needsInput")
    /// The plan removes packages that the request does not name, without the requester's consent.
    public static let needsConsent = Code(rawValue: "needsConsent")
    /// The index changed between plan and start; nothing was done.
    public static let planOutOfDate = Code(rawValue: "planOutOfDate")
    /// Not enough space on a file system.
    public static let noSpace = Code(rawValue: "noSpace")
    /// A package archive is damaged, or the file is not a package archive.
    public static let badArchive = Code(rawValue: "badArchive")
    /// The package root cannot be used.
    public static let badRoot = Code(rawValue: "badRoot")
    /// A time-out expired; the awaited work continues (row B10).
    public static let timedOut = Code(rawValue: "timedOut")
    /// The waiting task was cancelled; the awaited work continues.
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
    /// No configuration or trigger is pending, so there is nothing to commit (row A27).
    public static let nothingToCommit = Code(rawValue: "nothingToCommit")
    /// No engine answers at the socket.
    public static let engineUnreachable = Code(rawValue: "engineUnreachable")
    /// The process at the socket is not an engine, or speaks another version.
    public static let protocolMismatch = Code(rawValue: "protocolMismatch")
    /// The job's worker vanished without an exit status.
    public static let interrupted = Code(rawValue: "interrupted")
    /// The journal cannot be read or written.
    public static let journal = Code(rawValue: "journal")
    /// A bug in this program.
    public static let `internal` = Code(rawValue: "internal")

    /// The codes that this version knows.
    package static let known: [Code] = [
      .noUpdates, .notApplicable, .contradiction, .unresolvable, .notUninstallable,
      .exclusiveConflict, .busy, .rebootRequiredFirst, .notPermitted, .sourceUnavailable,
      .downloadFailed, .hashMismatch, .packageFailed, .notVerified, .needsInput, .needsConsent,
      .planOutOfDate,
      .noSpace, .badArchive, .badRoot, .timedOut, .cancelled, .cleanUpCalledFromCallback,
      .invalidIndex,
      .invalidArgument, .unknownJob, .invalidState, .cannotResume, .nothingToCommit,
      .engineUnreachable, .protocolMismatch, .interrupted, .journal, .`internal`,
    ]
  }

  /// What may resolve the error: waiting, a person, or nothing.
  public enum Class: String, Sendable, Hashable, Codable {
    /// A later retry may succeed.
    case transient
    /// A person has to change something first.
    case needsHuman
    /// A retry gives the same error.
    case fatal
  }

  /// The kind of error.
  public var code: Code
  /// What may resolve the error.
  public var `class`: Class
  /// What happened to which object, in one line without a full stop.
  public var message: String
  /// The name of the update that the error is about, if any.
  public var update: String?
  /// The output of the tool: script name, exit status, and the last lines of output.
  public var detail: String?
  /// What to do next, in one line for display.
  ///
  /// The hints of an engine name commands of `fettle`; the hints of the library name its own
  /// functions.
  public var hint: String?
  /// Whether the request may have been carried out: it was sent, but its answer never arrived.
  ///
  /// If false, this request changed nothing. Omitted in JSON when false.
  public var mayHaveBeenDone: Bool {
    get { doubt ?? false }
    set { doubt = newValue ? true : nil }
  }
  private var doubt: Bool?
  /// A cause that this program acts on.
  package enum Cause: Sendable, Hashable {
    /// A process listens at the engine's socket and does not answer: other sockets must not be tried.
    case silentEngine
    /// The disk is full.
    case fullDisk
    /// The journal is damaged.
    case damagedJournal
  }

  /// The cause, as far as this program acts on it; not part of the JSON form or of comparisons.
  package var cause: Cause? {
    get { incidental.cause }
    set { incidental.cause = newValue }
  }
  private var incidental = Incidental()

  /// What an error carries beside its value: all of these are equal.
  private struct Incidental: Sendable, Hashable {
    var cause: Cause?
    static func == (_: Self, _: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  private enum CodingKeys: String, CodingKey {
    case code, `class`, message, update, detail, hint
    case doubt = "mayHaveBeenDone"
  }

  /// Creates a value from its parts.
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
  /// The message, followed by the hint in parentheses.
  public var description: String {
    if let hint { "\(message) (\(hint))" } else { message }
  }
}
