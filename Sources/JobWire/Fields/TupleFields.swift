internal import InstallJobs

/// The fields of an array, visited in order by one list for both directions: ``TupleWriter`` writes
/// the values, ``TupleReader`` replaces them by what it reads.
///
/// A value that is nil is absent: `null`, or omitted at the end of the array. Reading throws for a
/// value of another type.
protocol TupleFields {
  /// Whether the values are replaced by what is read; false if they are written.
  static var isReading: Bool { get }
  /// The error for a value that cannot be read.
  var malformed: TupleReader.Malformed { get }

  mutating func integer<Value: FixedWidthInteger>(_ value: inout Value?) throws
  mutating func real(_ value: inout Double?) throws
  /// A Boolean; false is absent.
  mutating func flag(_ value: inout Bool) throws
  /// A string. The reader keeps the storage of the present value if both are equal.
  mutating func text(_ value: inout String?) throws
  /// A value in its JSON form.
  mutating func json<Value: Codable>(_ value: inout Value?) throws
  /// A JSON object with the fields that few jobs have; absent if none of them is set.
  mutating func extras(_ job: inout JobSnapshot) throws
  /// An array with the fields of a value.
  ///
  /// The reader gives nil if the value has a word that only a newer version knows.
  mutating func tuple<Value: TupleValue>(_ value: inout Value?) throws
  /// An array of values; no element is absent.
  ///
  /// The reader leaves out elements with a word that only a newer version knows, and shares equal
  /// strings of neighbours.
  mutating func list<Value: TupleValue>(_ values: inout [Value]?) throws
  /// An array of numbers, each of which may be absent.
  mutating func integers(_ values: inout [Int?]) throws
  /// A word that a newer version may know: the reader then drops the value that has it.
  mutating func newerWord<Word: RawRepresentable<String>>(_ word: inout Word) throws
}

/// A value with a list of fields.
protocol TupleValue {
  /// A value whose fields are replaced when one is read.
  ///
  /// Strings that are often equal to those of the value before it in a list, `previous`, have its
  /// storage.
  static func blank(after previous: Self?) -> Self
  /// Visits all fields in the order of the array.
  ///
  /// Clients and engines of other versions rely on the order: new fields come last.
  mutating func visit(_ fields: inout some TupleFields) throws
}

// Fields with a value that is never nil. `default` is omitted; `ifAbsent` is written and only
// stands for a value that the writer has left out.
extension TupleFields {
  mutating func integer<Value: FixedWidthInteger>(_ value: inout Value) throws {
    var some: Value? = value
    try integer(&some)
    if Self.isReading { value = try known(some) }
  }

  mutating func integer<Value: FixedWidthInteger>(
    _ value: inout Value, default usual: Value
  ) throws {
    var some: Value? = value == usual ? nil : value
    try integer(&some)
    if Self.isReading { value = some ?? usual }
  }

  mutating func integer<Value: FixedWidthInteger>(
    _ value: inout Value, ifAbsent other: Value
  ) throws {
    var some: Value? = value
    try integer(&some)
    if Self.isReading { value = some ?? other }
  }

  mutating func real(_ value: inout Double) throws {
    var some: Double? = value
    try real(&some)
    if Self.isReading { value = try known(some) }
  }

  mutating func real(_ value: inout Double, default usual: Double) throws {
    var some: Double? = value == usual ? nil : value
    try real(&some)
    if Self.isReading { value = some ?? usual }
  }

  mutating func text(_ value: inout String) throws {
    var some: String? = value
    try text(&some)
    if Self.isReading { value = try known(some) }
  }

  /// A time between the years 0 and 9999, the range of the whole protocol.
  mutating func time(_ value: inout Timestamp?) throws {
    var milliseconds = value?.milliseconds
    try integer(&milliseconds)
    guard Self.isReading else { return }
    guard milliseconds.map(Timestamp.writable.contains) ?? true else { throw malformed }
    value = milliseconds.map { Timestamp(milliseconds: $0) }
  }

  mutating func time(_ value: inout Timestamp) throws {
    var some: Timestamp? = value
    try time(&some)
    if Self.isReading { value = try known(some) }
  }

  mutating func job(_ value: inout JobID?) throws {
    var number = value?.rawValue
    try integer(&number)
    if Self.isReading { value = number.map { JobID($0) } }
  }

  mutating func job(_ value: inout JobID) throws {
    var some: JobID? = value
    try job(&some)
    if Self.isReading { value = try known(some) }
  }

  mutating func word<Word: RawRepresentable<String>>(_ value: inout Word?) throws {
    var word = value?.rawValue
    try text(&word)
    if Self.isReading { value = try word.map { try known(Word(rawValue: $0)) } }
  }

  mutating func word<Word: RawRepresentable<String>>(_ value: inout Word) throws {
    var some: Word? = value
    try word(&some)
    if Self.isReading { value = try known(some) }
  }

  mutating func word<Word: RawRepresentable<String> & Equatable>(
    _ value: inout Word, default usual: Word
  ) throws {
    var some: Word? = value == usual ? nil : value
    try word(&some)
    if Self.isReading { value = some ?? usual }
  }

  mutating func code(_ value: inout OperationResultCode) throws {
    var number = value.rawValue
    try integer(&number, default: OperationResultCode.notStarted.rawValue)
    if Self.isReading { value = try known(OperationResultCode(rawValue: number)) }
  }

  /// A list in its JSON form; an empty list is absent.
  mutating func json<Element: Codable>(_ values: inout [Element]) throws {
    var some = values.isEmpty ? nil : values
    try json(&some)
    if Self.isReading { values = some ?? [] }
  }

  mutating func tuple<Value: TupleValue>(_ value: inout Value) throws {
    var some: Value? = value
    try tuple(&some)
    if Self.isReading { value = try known(some) }
  }

  mutating func tuple<Value: TupleValue & Equatable>(
    _ value: inout Value, default usual: Value
  ) throws {
    var some: Value? = value == usual ? nil : value
    try tuple(&some)
    if Self.isReading { value = some ?? usual }
  }

  /// A list that is written even if it is empty.
  mutating func list<Value: TupleValue>(_ values: inout [Value]) throws {
    var some: [Value]? = values
    try list(&some)
    if Self.isReading { values = some ?? [] }
  }

  private func known<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw malformed }
    return value
  }
}
