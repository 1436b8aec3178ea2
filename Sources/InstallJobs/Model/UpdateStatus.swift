/// The phase of the work on one package.
///
/// The phases of an update only go forward.
public enum UpdatePhase: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
  case pending
  case downloading
  case downloaded
  case unpacking
  case unpacked
  case configuring
  case removing
  case triggers
  case done

  /// Orders phases in the order of work.
  public static func < (left: UpdatePhase, right: UpdatePhase) -> Bool { left.order < right.order }

  private var order: Int {
    switch self {
    case .pending: 0
    case .downloading: 1
    case .downloaded: 2
    case .unpacking: 3
    case .unpacked: 4
    case .configuring: 5
    case .removing: 6
    case .triggers: 7
    case .done: 8
    }
  }
}

/// One package of a job: the planned change and its progress and result.
public struct UpdateStatus: Sendable, Hashable {
  /// The planned change.
  public var planned: PlannedUpdate
  /// The current phase.
  public var phase: UpdatePhase
  /// Share of the work on this package that is done, 0...100; never decreases.
  ///
  /// 100 only if the package database matches the plan.
  package var percentComplete: Double
  /// The current result code; final once the job is over.
  public var resultCode: OperationResultCode
  /// Why the package failed; nil if it did not fail.
  public var error: InstallationError? {
    get { boxedError.value }
    set { boxedError.value = newValue }
  }
  private var boxedError = Boxed<InstallationError>(nil)
  /// Configuration files that changed on the machine and in the package, in the order of dpkg's
  /// work.
  public var conffiles: [ConffileChange] {
    get { boxedConffiles.value ?? [] }
    set { boxedConffiles.value = newValue.isEmpty ? nil : newValue }
  }
  private var boxedConffiles = Boxed<[ConffileChange]>(nil)
  /// A remark that is neither success nor failure.
  public var note: UpdateNote?
  /// Bytes of the archive downloaded so far, 0...`downloadSize`.
  public var downloadedBytes: Int64
  /// Whether the package asked for a restart of the machine (row D7).
  public var requiresReboot: Bool
  /// When the package entered each phase.
  public var phaseTimes: PhaseTimes

  /// Creates a value from its parts.
  public init(
    _ planned: PlannedUpdate, phase: UpdatePhase = .pending, percentComplete: Double = 0,
    resultCode: OperationResultCode = .notStarted, error: InstallationError? = nil,
    note: UpdateNote? = nil, downloadedBytes: Int64 = 0, requiresReboot: Bool = false,
    phaseTimes: PhaseTimes = PhaseTimes()
  ) {
    self.planned = planned
    self.phase = phase
    self.percentComplete = percentComplete
    self.resultCode = resultCode
    boxedError = Boxed(error)
    self.note = note
    self.downloadedBytes = downloadedBytes
    self.requiresReboot = requiresReboot
    self.phaseTimes = phaseTimes
  }

  /// The package's name.
  public var name: String { planned.name }
}

extension UpdateStatus: Codable {
  private enum Key: String, CodingKey {
    case phase, percentComplete, resultCode, error, note, downloadedBytes, requiresReboot
    case phaseTimes, conffiles
  }

  // The fields are on the same level as the plan's fields: the element of `updates` and `plan` in
  // the JSON contract.
  /// Decodes the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      try PlannedUpdate(from: decoder),
      phase: try container.decode(UpdatePhase.self, forKey: .phase),
      percentComplete: try container.decode(Double.self, forKey: .percentComplete),
      resultCode: try container.decode(OperationResultCode.self, forKey: .resultCode),
      error: try container.decodeIfPresent(InstallationError.self, forKey: .error),
      // An unknown note of another version becomes nil and must not make the whole job undecodable.
      note: try container.decodeIfPresent(String.self, forKey: .note).flatMap(UpdateNote.init),
      downloadedBytes: try container.decodeIfPresent(Int64.self, forKey: .downloadedBytes) ?? 0,
      requiresReboot: try container.decodeIfPresent(Bool.self, forKey: .requiresReboot) ?? false,
      phaseTimes: try container.decodeIfPresent(PhaseTimes.self, forKey: .phaseTimes)
        ?? PhaseTimes())
    conffiles = try container.decodeIfPresent([ConffileChange].self, forKey: .conffiles) ?? []
  }

  /// Encodes the form of the JSON contract; throws the encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var plan = encoder.container(keyedBy: PlanKey.self)
    try plan.encode(planned.name, forKey: .name)
    try plan.encode(planned.architecture, forKey: .architecture)
    try plan.encode(planned.action, forKey: .action)
    try plan.encode(planned.fromVersion, forKey: .fromVersion)
    try plan.encode(planned.toVersion, forKey: .toVersion)
    try plan.encode(planned.downloadSize, forKey: .downloadSize)
    try plan.encode(planned.installedSize, forKey: .installedSize)
    try plan.encode(planned.origin, forKey: .origin)
    try plan.encode(planned.requested, forKey: .requested)
    try plan.encodeIfPresent(planned.keptBack, forKey: .keptBack)
    try plan.encode(planned.isSecurity, forKey: .security)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(phase, forKey: .phase)
    try container.encode(percentComplete, forKey: .percentComplete)
    try container.encode(resultCode, forKey: .resultCode)
    try container.encode(error, forKey: .error)
    try container.encode(note, forKey: .note)
    try container.encode(downloadedBytes, forKey: .downloadedBytes)
    try container.encode(requiresReboot, forKey: .requiresReboot)
    try container.encode(phaseTimes, forKey: .phaseTimes)
    if !conffiles.isEmpty { try container.encode(conffiles, forKey: .conffiles) }
  }

  // The contract has null for absent values; the synthesized form would omit them.
  private enum PlanKey: String, CodingKey {
    case name, architecture, action, fromVersion, toVersion, downloadSize, installedSize, origin
    case requested, keptBack, security
  }
}
