/// Encodes long lists of packages and frequent events as JSON without an encoder, for speed.
///
/// A package has twenty keys, and a request may name tens of thousands of packages. A job with its
/// plan takes a third of an encoder's time with 200 packages and a fifth with 2,000; an event of a
/// package a ninth. The text is equivalent, and every decoder reads it.
package enum PackageListJSON {
  /// The minimum length of a list for which this encoding is used.
  private static let least = 32

  /// Encodes an event.
  ///
  /// - Parameters:
  ///   - event: The event to encode.
  ///   - encode: The encoder; called with the event with empty lists, or unchanged.
  /// - Returns: Text equivalent to the result of `encode` for the unchanged event.
  package static func encode(
    _ event: JobEvent, _ encode: (JobEvent) throws -> [UInt8]
  ) rethrows -> [UInt8] {
    var bare = event
    switch event.payload {
    case .submitted(let job):
      return try self.encode(job) { job in
        bare.payload = .submitted(job)
        return try encode(bare)
      }
    case .completed(var outcome):
      guard outcome.updates.count >= least, let updates = text(of: outcome.updates) else { break }
      outcome.updates = []
      bare.payload = .completed(outcome)
      guard let whole = insert([("updates", updates)], into: try encode(bare)) else { break }
      return whole
    default: break
    }
    return try encode(event)
  }

  /// Encodes the most frequent events as JSON: a change of a package, a change of state, and a
  /// success.
  ///
  /// - Returns: The text; nil for any other event, and for values that need an encoder.
  package static func text(of event: JobEvent) -> [UInt8]? {
    switch event.payload {
    case .update, .state, .completed: break
    default: return nil
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(800)
    bytes += "{\"seq\":\(event.seq),\"at\":\"".utf8
    event.at.write(to: &bytes)
    bytes += "\",\"job\":".utf8
    bytes += (event.job.map { "\($0.rawValue)" } ?? "null").utf8
    bytes += ",\"type\":\"\(event.payload.type)\",".utf8
    if let mark = event.progressMark {
      guard mark.percentComplete.isFinite else { return nil }
      bytes += "\"standing\":{\"percentComplete\":\(mark.percentComplete)".utf8
      if let length = mark.logLength { bytes += ",\"logLength\":\(length)".utf8 }
      if let preview = mark.abortPreview {
        guard write(",\"abortPreview\":", preview, to: &bytes) else { return nil }
      }
      bytes += "},".utf8
    }
    switch event.payload {
    case .update(let index, let status):
      bytes += "\"index\":\(index),\"update\":".utf8
      guard write(status, to: &bytes) else { return nil }
    case .state(let change):
      bytes += "\"change\":".utf8
      guard write(change, to: &bytes) else { return nil }
    case .completed(let outcome):
      bytes += "\"outcome\":".utf8
      guard write(outcome, to: &bytes) else { return nil }
    default: return nil
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// Writes the keys of ``JobStateChange``; returns false if a value needs an encoder.
  private static func write(_ change: JobStateChange, to bytes: inout [UInt8]) -> Bool {
    guard change.waitingFor == nil, change.movedBy == nil else { return false }
    bytes += "{\"state\":\"\(change.state.rawValue)\"".utf8
    guard write(",\"abortPreview\":", change.abortPreview, to: &bytes) else { return false }
    if let index = change.currentUpdateIndex { bytes += ",\"currentUpdateIndex\":\(index)".utf8 }
    if let index = change.currentStepIndex { bytes += ",\"currentStepIndex\":\(index)".utf8 }
    if let count = change.downloadedBytes { bytes += ",\"downloadedBytes\":\(count)".utf8 }
    if let priority = change.priority { bytes += ",\"priority\":\(priority)".utf8 }
    bytes.append(UInt8(ascii: "}"))
    return true
  }

  /// Writes the keys of ``JobOutcome`` for a job without errors and remarks; returns false for
  /// other jobs.
  private static func write(_ outcome: JobOutcome, to bytes: inout [UInt8]) -> Bool {
    guard outcome.error == nil, outcome.rebootReasons.isEmpty, outcome.repairs.isEmpty,
      outcome.afterReboot == nil, outcome.interruptedAt == nil, outcome.workEndedAt == nil,
      outcome.counts == nil,
      outcome.percentComplete.isFinite, let updates = text(of: outcome.updates)
    else { return false }
    bytes += "{\"state\":\"\(outcome.state.rawValue)\"".utf8
    bytes += ",\"resultCode\":\(outcome.resultCode.rawValue)".utf8
    bytes += ",\"percentComplete\":\(outcome.percentComplete)".utf8
    bytes += ",\"rebootRequired\":\(outcome.requiresReboot),\"rebootReasons\":[]".utf8
    if let status = outcome.exitStatus { bytes += ",\"exitStatus\":\(status)".utf8 }
    bytes += ",\"repairs\":[],\"updates\":".utf8
    bytes += updates
    bytes.append(UInt8(ascii: "}"))
    return true
  }

  /// Writes the keys of ``AbortDisposition/encode(to:)``; returns false for a number that JSON
  /// cannot represent.
  private static func write(
    _ key: String, _ disposition: AbortDisposition, to bytes: inout [UInt8]
  ) -> Bool {
    bytes += key.utf8
    bytes += "{\"disposition\":\"\(disposition.word)\"".utf8
    switch disposition {
    case .accepted(let name, let seconds):
      guard seconds?.isFinite ?? true else { return false }
      write(",\"stopsAfter\":", name, to: &bytes)
      bytes += ",\"etaSeconds\":".utf8
      bytes += (seconds.map { "\($0)" } ?? "null").utf8
    case .refused(let reason):
      write(",\"reason\":", reason.message, to: &bytes)
      write(",\"reasonCode\":", reason.code.rawValue, to: &bytes)
    case .alreadyCompleted: break
    }
    bytes.append(UInt8(ascii: "}"))
    return true
  }

  /// Encodes a job, or a value that contains one job, like ``encode(_:_:)`` for an event.
  package static func encode(
    _ job: JobSnapshot, _ encode: (JobSnapshot) throws -> [UInt8]
  ) rethrows -> [UInt8] {
    let count = max(job.updates.count, job.plan?.count ?? 0)
    guard count >= least, let updates = text(of: job.updates) else { return try encode(job) }
    var lists = [("updates", updates)]
    var bare = job
    bare.updates = []
    if let plan = job.plan {
      guard let steps = text(of: plan) else { return try encode(job) }
      lists.append(("plan", steps))
      bare.plan = []
    }
    guard let whole = insert(lists, into: try encode(bare)) else { return try encode(job) }
    return whole
  }

  /// Inserts lists in place of the empty lists of their keys; returns nil unless each key occurs
  /// exactly once.
  ///
  /// Quotation marks inside strings are escaped by a backslash, so string content cannot look like
  /// a key.
  package static func insert(
    _ lists: [(key: String, text: [UInt8])], into json: [UInt8]
  ) -> [UInt8]? {
    var gaps: [(place: Int, text: [UInt8])] = []
    for (key, text) in lists {
      guard let place = onlyPlace(of: Array("\"\(key)\":[]".utf8), in: json) else { return nil }
      gaps.append((place, text))
    }
    gaps.sort { $0.place < $1.place }
    var whole: [UInt8] = []
    whole.reserveCapacity(json.count + gaps.reduce(0) { $0 + $1.text.count })
    var start = 0
    for gap in gaps {
      whole += json[start..<gap.place - 2]
      whole += gap.text
      start = gap.place
    }
    return whole + json[start...]
  }

  /// Returns the end of the only occurrence of `words`; nil if there is none or more than one.
  private static func onlyPlace(of words: [UInt8], in json: [UInt8]) -> Int? {
    var place: Int?
    for start in json.indices.dropLast(words.count - 1)
    where json[start] == words[0] && json[start..<start + words.count].elementsEqual(words) {
      guard place == nil else { return nil }
      place = start + words.count
    }
    return place
  }

  /// Returns the list as JSON; nil if a package has a value that needs an encoder.
  private static func text(of list: [UpdateStatus]) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(list.count * 400)
    bytes.append(UInt8(ascii: "["))
    for (index, status) in list.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      guard write(status, to: &bytes) else { return nil }
    }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }

  /// Returns one package as JSON, in the form of a list element; nil if a value needs an encoder.
  package static func text(of status: UpdateStatus) -> [UInt8]? {
    var bytes: [UInt8] = []
    return write(status, to: &bytes) ? bytes : nil
  }

  /// Writes the keys of ``UpdateStatus/encode(to:)``.
  ///
  /// - Returns: False if the value needs an encoder: it has an error, configuration files, or a
  ///   number that JSON cannot represent.
  private static func write(_ status: UpdateStatus, to bytes: inout [UInt8]) -> Bool {
    guard status.error == nil, status.conffiles.isEmpty, status.percentComplete.isFinite else {
      return false
    }
    let planned = status.planned
    write("{\"name\":", planned.name, to: &bytes)
    write(",\"architecture\":", planned.architecture, to: &bytes)
    write(",\"action\":", planned.action.rawValue, to: &bytes)
    write(",\"fromVersion\":", planned.fromVersion, to: &bytes)
    write(",\"toVersion\":", planned.toVersion, to: &bytes)
    bytes += ",\"downloadSize\":\(planned.downloadSize)".utf8
    bytes += ",\"installedSize\":\(planned.installedSize)".utf8
    write(",\"origin\":", planned.origin, to: &bytes)
    bytes += ",\"requested\":\(planned.requested),\"security\":\(planned.isSecurity)".utf8
    if let reason = planned.keptBack { write(",\"keptBack\":", reason, to: &bytes) }
    write(",\"phase\":", status.phase.rawValue, to: &bytes)
    bytes += ",\"percentComplete\":\(status.percentComplete)".utf8
    bytes += ",\"resultCode\":\(status.resultCode.rawValue),\"error\":null".utf8
    write(",\"note\":", status.note?.rawValue, to: &bytes)
    bytes += ",\"downloadedBytes\":\(status.downloadedBytes)".utf8
    bytes += ",\"requiresReboot\":\(status.requiresReboot),\"phaseTimes\":{".utf8
    for (index, entry) in status.phaseTimes.entries.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += "\"\(entry.phase.rawValue)\":\"".utf8
      entry.at.write(to: &bytes)
      bytes.append(UInt8(ascii: "\""))
    }
    bytes += "}}".utf8
    return true
  }

  private static func write(_ key: String, _ text: String?, to bytes: inout [UInt8]) {
    bytes += key.utf8
    guard let text else {
      bytes += "null".utf8
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        bytes += (byte < 0x10 ? "\\u000" : "\\u00").utf8
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
