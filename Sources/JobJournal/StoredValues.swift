import FoundationEssentials
import GRDB
import InstallJobs

/// Text as a column: TEXT, or the bytes as BLOB when it holds a NUL.
///
/// SQLite's text functions end at a NUL, so two different texts would become one.
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

/// Values as JSON columns.
enum StoredJSON {
  private static let encoder = JSONEncoder()
  private static let decoder = JSONDecoder()

  static func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

  static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
    try decoder.decode(type, from: data)
  }
}
