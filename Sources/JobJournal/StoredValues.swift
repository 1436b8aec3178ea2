import FoundationEssentials
import GRDB
import InstallJobs

/// The column value of a text: TEXT, or BLOB if the text contains a NUL.
///
/// SQLite's text functions end at a NUL, so that two different texts could be equal.
struct StoredText: DatabaseValueConvertible, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  init?(_ text: String?) {
    guard let text else { return nil }
    self.text = text
  }

  var databaseValue: DatabaseValue {
    text.utf8.contains(0) ? Data(text.utf8).databaseValue : text.databaseValue
  }

  static func fromDatabaseValue(_ value: DatabaseValue) -> StoredText? {
    if case .blob(let data) = value.storage {
      return StoredText(String(decoding: data, as: UTF8.self))
    }
    return String.fromDatabaseValue(value).map { StoredText($0) }
  }
}

extension Row {
  /// The value of a column.
  ///
  /// GRDB's subscripts end the process if a damaged file has a value of another type in the column.
  ///
  /// - Throws: `DatabaseError` (`SQLITE_CORRUPT`) if the value is not of this type.
  func value<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value {
    guard let value = Value.fromDatabaseValue(self[index]) else { throw Self.mismatch(index) }
    return value
  }

  /// The value of a nullable column; throws as ``value(_:)``.
  func optional<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value? {
    let stored: DatabaseValue = self[index]
    return stored.isNull ? nil : try value(index)
  }

  /// The text of a column; throws as ``value(_:)``.
  func text(_ index: Int) throws -> String { try (value(index) as StoredText).text }

  private static func mismatch(_ index: Int) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: "column \(index) has another kind of value")
  }
}

/// Encoding and decoding of JSON columns.
enum StoredJSON {
  private static let encoder = JSONEncoder()
  private static let decoder = JSONDecoder()

  static func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

  static func encode(_ status: UpdateStatus) throws -> Data {
    try PackageListJSON.text(of: status).map { Data($0) } ?? encoder.encode(status)
  }

  static func encode(_ event: JobEvent) throws -> Data {
    if let text = PackageListJSON.text(of: event) { return Data(text) }
    return Data(try PackageListJSON.encode(event) { [UInt8](try encoder.encode($0)) })
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
    try decoder.decode(type, from: data)
  }
}
