/// What a look at a machine found: whether jobs can work on it, and what to do where they cannot.
///
/// Looking changes nothing. The engine's answer and what is found without one have the same shape.
public struct Checkup: Sendable, Hashable {
  /// What is looked at, in the order of the findings.
  public enum Subject: String, Sendable, Hashable, Codable, CaseIterable {
    /// The engine: who serves, or that none answers.
    case engine
    /// Whether whoever asks may change anything.
    case rights
    /// The package root and its database.
    case root
    /// The configured sources of packages.
    case sources
    /// The package index: whether there is one, and how old it is.
    case index
    /// The file systems of root, archives and journal.
    case space
    /// Packages in the middle of something.
    case packages
    /// Configuration files beside which a package's new version lies.
    case conffiles
    /// The package lock.
    case lock
    /// The engine's journal.
    case journal
    /// Whether the machine waits for a restart.
    case restart
  }

  /// What a finding comes to, from nothing to do to something that must be done first.
  public enum Verdict: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// As it should be.
    case sound
    /// Could not be looked at; the finding says why.
    case unknown
    /// No job is kept from working, but somebody should know.
    case attention
    /// Jobs fail or are refused until something is done.
    case fault

    /// Whether the first is the lesser matter.
    public static func < (one: Verdict, other: Verdict) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// One thing that was looked at.
  public struct Finding: Sendable, Hashable, Codable {
    /// What was looked at.
    public var subject: Subject
    /// What it comes to.
    public var verdict: Verdict
    /// What was found, in one line without a full stop.
    public var message: String
    /// What to do next, in one line; nil where there is nothing to do.
    public var hint: String?
    /// The package that it is about.
    public var package: String?
    /// What mends the package; a repair job does.
    public var repair: RepairAction?
    /// Who holds the package lock, where it is about that.
    public var holder: LockHolder?

    /// A value of its parts.
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

    /// What an error says, as a finding.
    public init(_ subject: Subject, _ verdict: Verdict, _ error: InstallationError) {
      self.init(subject, verdict, error.message, hint: error.hint, package: error.update)
    }
  }

  /// The package root as an absolute path, or the scenario's name; empty where the engine that knows
  /// it did not answer.
  public var root: String
  /// Everything that was looked at, sorted by subject.
  public private(set) var findings: [Finding]

  /// A checkup of its findings; those of one subject keep their order.
  public init(root: String, findings: [Finding]) {
    self.root = root
    self.findings = Subject.allCases.flatMap { subject in
      findings.filter { $0.subject == subject }
    }
  }

  /// The gravest of the findings.
  public var verdict: Verdict { findings.map(\.verdict).max() ?? .sound }

  /// The same with a further finding, in its place.
  public func adding(_ finding: Finding) -> Checkup {
    Checkup(root: root, findings: findings + [finding])
  }
}

extension Checkup: Codable {
  private enum Key: String, CodingKey { case root, verdict, findings }

  /// Reads the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    self.init(
      root: try box.decode(String.self, forKey: .root),
      findings: try box.decode([Finding].self, forKey: .findings))
  }

  /// Writes the form of the JSON contract; throws what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(root, forKey: .root)
    try box.encode(verdict, forKey: .verdict)
    try box.encode(findings, forKey: .findings)
  }
}
