/// The result of checking a machine: whether jobs can work on it, and what to do if not.
///
/// The check changes nothing. The engine's answer and a check without an engine have the same form.
public struct Checkup: Sendable, Hashable {
  /// The checked subjects, in the order of the findings.
  public enum Subject: String, Sendable, Hashable, Codable, CaseIterable {
    /// The engine: its process, or that none answers.
    case engine
    /// Whether the requesting user may change anything.
    case rights
    /// The package root and its database.
    case root
    /// The configured sources of packages.
    case sources
    /// The package index: whether it exists, and its age.
    case index
    /// The file systems of the root, the archives and the journal.
    case space
    /// Incomplete packages.
    case packages
    /// Configuration files with a package's new version beside them.
    case conffiles
    /// The package lock.
    case lock
    /// The engine's journal.
    case journal
    /// Whether a restart of the machine is pending.
    case restart
  }

  /// The severity of a finding, from nothing to do to a fault that must be repaired first.
  public enum Verdict: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// No problem.
    case sound
    /// The check failed; the finding gives the reason.
    case unknown
    /// Jobs can work, but the operator should know about the finding.
    case attention
    /// Jobs fail or are refused until the fault is repaired.
    case fault

    /// Whether the first verdict is less severe.
    public static func < (one: Verdict, other: Verdict) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The result for one checked object.
  public struct Finding: Sendable, Hashable, Codable {
    /// The checked subject.
    public var subject: Subject
    /// The severity.
    public var verdict: Verdict
    /// The finding in one line without a full stop.
    public var message: String
    /// What to do next, in one line; nil if there is nothing to do.
    public var hint: String?
    /// The package that the finding is about.
    public var package: String?
    /// The action that repairs the package; a repair job performs it.
    public var repair: RepairAction?
    /// The process that holds the package lock, if the finding is about it.
    public var holder: LockHolder?

    /// Creates a value from its parts.
    public init(
      _ subject: Subject, _ verdict: Verdict, _ message: String, hint: String? = nil,
      package: String? = nil, repair: RepairAction? = nil, holder: LockHolder? = nil
    ) {
      self.subject = subject
      self.verdict = verdict
      self.message = message
      self.hint = hint
      self.package = package
      self.repair = repair
      self.holder = holder
    }

    /// Creates a finding from an error.
    public init(_ subject: Subject, _ verdict: Verdict, _ error: InstallationError) {
      self.init(subject, verdict, error.message, hint: error.hint, package: error.update)
    }
  }

  /// The package root as an absolute path, or the scenario's name; empty if the engine did not
  /// answer.
  public var root: String
  /// All findings, sorted by subject.
  public private(set) var findings: [Finding]

  /// Creates a checkup; findings of one subject keep their order.
  public init(root: String, findings: [Finding]) {
    self.root = root
    self.findings = Subject.allCases.flatMap { subject in
      findings.filter { $0.subject == subject }
    }
  }

  /// The highest severity of the findings.
  public var verdict: Verdict { findings.map(\.verdict).max() ?? .sound }

  /// Returns the checkup with one more finding, sorted into its place.
  public func adding(_ finding: Finding) -> Checkup {
    Checkup(root: root, findings: findings + [finding])
  }
}

extension Checkup: Codable {
  private enum Key: String, CodingKey { case root, verdict, findings }

  /// Decodes the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    self.init(
      root: try box.decode(String.self, forKey: .root),
      findings: try box.decode([Finding].self, forKey: .findings))
  }

  /// Encodes the form of the JSON contract; throws the encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(root, forKey: .root)
    try box.encode(verdict, forKey: .verdict)
    try box.encode(findings, forKey: .findings)
  }
}
