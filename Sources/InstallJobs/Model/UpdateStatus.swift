/// How far the work on one package is.
///
/// Phases of one update only go forward.
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

  /// Orders phases as the work goes through them.
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

/// One package of a job: the plan's decision and what has become of it.
public struct UpdateStatus: Sendable, Hashable {
  /// What the plan decided.
  public var planned: PlannedUpdate
  /// How far the work is.
  public var phase: UpdatePhase
  /// Share of the work on this package that is done, 0...100, never falling.
  ///
  /// 100 only when the package database shows what was planned.
  package var percentComplete: Double
  /// The result so far; final once the job is over.
  public var resultCode: OperationResultCode
  /// Why it failed; nil unless it did.
  public var error: InstallationError? {
    get { rareError.value }
    set { rareError.value = newValue }
  }
  private var rareError = Boxed<InstallationError>(nil)
  /// Configuration files that were changed on both sides, in the order in which dpkg met them.
  public var conffiles: [ConffileChange] {
    get { rareConffiles.value ?? [] }
    set { rareConffiles.value = newValue.isEmpty ? nil : newValue }
  }
  private var rareConffiles = Boxed<[ConffileChange]>(nil)
  /// A remark that is neither success nor failure.
  public var note: UpdateNote?
  /// Bytes of its archive that have arrived, 0...`downloadSize`.
  public var downloadedBytes: Int64
  /// Whether it asked for a restart of the machine (row D7).
  public var requiresReboot: Bool
  /// When it entered each phase.
  public var phaseTimes: PhaseTimes

  /// A value of its parts.
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
    rareError = Boxed(error)
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

  // Flat beside the plan's fields: the element of `updates` and `plan` in the JSON contract.
  /// Reads the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      try PlannedUpdate(from: decoder),
      phase: try container.decode(UpdatePhase.self, forKey: .phase),
      percentComplete: try container.decode(Double.self, forKey: .percentComplete),
      resultCode: try container.decode(OperationResultCode.self, forKey: .resultCode),
      error: try container.decodeIfPresent(InstallationError.self, forKey: .error),
      // A remark of another version says nothing here, and must not cost the whole job.
      note: try container.decodeIfPresent(String.self, forKey: .note).flatMap(UpdateNote.init),
      downloadedBytes: try container.decodeIfPresent(Int64.self, forKey: .downloadedBytes) ?? 0,
      requiresReboot: try container.decodeIfPresent(Bool.self, forKey: .requiresReboot) ?? false,
      phaseTimes: try container.decodeIfPresent(PhaseTimes.self, forKey: .phaseTimes)
        ?? PhaseTimes())
    conffiles = try container.decodeIfPresent([ConffileChange].self, forKey: .conffiles) ?? []
  }

  /// Writes the form of the JSON contract; throws what the encoder throws.
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

  // The contract prints null for what is absent, which the synthesized form leaves out.
  private enum PlanKey: String, CodingKey {
    case name, architecture, action, fromVersion, toVersion, downloadSize, installedSize, origin
    case requested, keptBack, security
  }
}
