internal import InstallJobs

// The status of one package as an array, in rows and in the notification `update`.
extension UpdateStatus: TupleValue {
  static func blank(after previous: UpdateStatus?) -> UpdateStatus {
    UpdateStatus(
      PlannedUpdate(
        name: "", architecture: "", action: .install,
        toVersion: previous?.planned.toVersion, origin: previous?.planned.origin))
  }

  mutating func visit(_ fields: inout some TupleFields) throws {
    try fields.text(&planned.name)
    try fields.text(&planned.architecture)
    try fields.word(&planned.action)
    try fields.text(&planned.fromVersion)
    try fields.text(&planned.toVersion)
    try fields.integer(&planned.downloadSize, default: 0)
    try fields.integer(&planned.installedSize, default: 0)
    try fields.text(&planned.origin)
    try fields.flag(&planned.requested)
    try fields.word(&phase, default: .pending)
    try fields.real(&percentComplete, default: 0)
    try fields.code(&resultCode)
    try fields.integer(&downloadedBytes, default: 0)
    try phaseTimes.visit(&fields)
    try visitNote(&fields)
    try fields.flag(&requiresReboot)
    try fields.json(&error)
    try fields.flag(&planned.isSecurity)
    try fields.json(&conffiles)
    try fields.text(&planned.keptBack)
  }

  // An unknown note of a newer version is ignored, so that the job stays readable.
  private mutating func visitNote<Fields: TupleFields>(_ fields: inout Fields) throws {
    var word = note?.rawValue
    try fields.text(&word)
    if Fields.isReading { note = word.flatMap(UpdateNote.init) }
  }
}

extension PhaseTimes {
  fileprivate mutating func visit<Fields: TupleFields>(_ fields: inout Fields) throws {
    var some = entries.isEmpty ? nil : entries
    try fields.list(&some)
    guard Fields.isReading else { return }
    for entry in some ?? [] { record(entry.phase, at: entry.at) }
  }
}

extension PhaseTimes.Entry: TupleValue {
  static func blank(after previous: PhaseTimes.Entry?) -> PhaseTimes.Entry {
    PhaseTimes.Entry(.pending, at: Timestamp(milliseconds: 0))
  }

  mutating func visit(_ fields: inout some TupleFields) throws {
    try fields.newerWord(&phase)
    try fields.time(&at)
  }
}
