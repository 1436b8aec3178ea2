internal import FoundationEssentials
internal import InstallJobs

/// The fields of a job that few jobs have, as one JSON object with only the fields that are set.
struct JobExtras {
  private(set) var job: JobSnapshot

  /// Nil if none of the fields of `job` is set.
  init?(of job: JobSnapshot) throws {
    self.job = job
    var search = ExtraSearch()
    try self.job.visitExtras(&search)
    guard search.hasFound else { return nil }
  }
}

extension JobSnapshot {
  fileprivate mutating func visitExtras(_ fields: inout some ExtraFields) throws {
    // The name and the comment have elements of their own.
    var usual = InstallationOptions()
    usual.clientName = options.clientName
    usual.comment = options.comment
    var special = options == usual ? nil : options
    try fields.value(&special, "options")
    if let special {
      options = special
      options.comment = usual.comment
    }
    try fields.value(&abort, "abort")
    try fields.value(&error, "error")
    try fields.flag(&requiresReboot, "rebootRequired")
    try fields.list(&rebootReasons, "rebootReasons")
    try fields.value(&afterReboot, "afterReboot")
    try fields.value(&interruptedAt, "interruptedAt")
    try fields.value(&workEndedAt, "workEndedAt")
    try fields.value(&counts, "counts")
    try fields.value(&activity, "activity")
    try fields.flag(&isStalled, "isStalled")
    try fields.value(&stall, "stall")
    try fields.list(&repairs, "repairs")
    try fields.flag(&isCleanedUp, "isCleanedUp")
    try fields.list(&warnings, "warnings")
  }
}

/// The fields of the object; nil, false and an empty list are not set.
private protocol ExtraFields {
  mutating func value<Value: Codable>(_ value: inout Value?, _ name: StaticString) throws
}

extension ExtraFields {
  mutating func flag(_ flag: inout Bool, _ name: StaticString) throws {
    var some: Bool? = flag ? true : nil
    try value(&some, name)
    flag = some ?? false
  }

  mutating func list<Element: Codable>(_ list: inout [Element], _ name: StaticString) throws {
    var some = list.isEmpty ? nil : list
    try value(&some, name)
    list = some ?? []
  }
}

private struct ExtraSearch: ExtraFields {
  var hasFound = false

  mutating func value<Value: Codable>(_ value: inout Value?, _ name: StaticString) {
    hasFound = hasFound || value != nil
  }
}

private struct ExtraName: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }

  init(_ name: StaticString) { stringValue = name.description }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension JobExtras: Encodable {
  private struct Writer: ExtraFields {
    var box: KeyedEncodingContainer<ExtraName>

    mutating func value<Value: Codable>(_ value: inout Value?, _ name: StaticString) throws {
      try box.encodeIfPresent(value, forKey: ExtraName(name))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var writer = Writer(box: encoder.container(keyedBy: ExtraName.self))
    var job = job
    try job.visitExtras(&writer)
  }
}

extension JobExtras: DecodableWithConfiguration {
  private struct Reader: ExtraFields {
    var box: KeyedDecodingContainer<ExtraName>

    mutating func value<Value: Codable>(_ value: inout Value?, _ name: StaticString) throws {
      value = try box.decodeIfPresent(Value.self, forKey: ExtraName(name))
    }
  }

  /// Reads the fields into a job.
  init(from decoder: any Decoder, configuration job: JobSnapshot) throws {
    self.job = job
    var reader = Reader(box: try decoder.container(keyedBy: ExtraName.self))
    try self.job.visitExtras(&reader)
  }
}
