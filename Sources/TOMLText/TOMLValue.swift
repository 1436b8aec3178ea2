internal import HostSystem
internal import TOMLKit

/// A value of a TOML text, independent of the parser's memory.
package enum TOMLValue: Sendable, Hashable {
  case table([String: TOMLValue])
  case list([TOMLValue])
  case text(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case date

  init(_ value: any TOMLValueConvertible) {
    self =
      switch value.type {
      case .table: .table(value.table.map(Self.values) ?? [:])
      case .array: .list(value.array.map { $0.map { TOMLValue($0) } } ?? [])
      case .string: .text(value.string ?? "")
      case .int: .integer(value.int ?? 0)
      case .double: .number(value.double ?? 0)
      case .bool: .boolean(value.bool ?? false)
      case .date, .time, .dateTime: .date
      }
  }

  static func values(of table: TOMLTable) -> [String: TOMLValue] {
    var values: [String: TOMLValue] = [:]
    for (key, value) in table { values[key] = TOMLValue(value) }
    return values
  }

  /// The keys and values of a table; nil for another kind of value.
  package var table: [String: TOMLValue]? {
    if case .table(let values) = self { values } else { nil }
  }
  /// The elements of a list; nil for another kind of value.
  package var list: [TOMLValue]? { if case .list(let elements) = self { elements } else { nil } }
  /// The text; nil for another kind of value.
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The whole number; nil for another kind of value.
  package var integer: Int? { if case .integer(let number) = self { number } else { nil } }
  /// The number, whole or not; nil for another kind of value.
  package var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  /// A description of the value for messages: `the number 3`.
  package var kind: String {
    switch self {
    case .table: "a table"
    case .list(let elements): elements.isEmpty ? "an empty list" : "a list"
    case .text(let text): "the text \"\(Sanitised.line(text, limit: 200, replacement: "?"))\""
    case .integer(let number): "the number \(number)"
    case .number(let number): "the number \(number)"
    case .boolean(let flag): "\(flag)"
    case .date: "a date"
    }
  }

  /// The problem of a value of another kind than wanted: `must be true or false, not a list`.
  package func mismatch(_ wanted: String) -> String { "must be \(wanted), not \(kind)" }
}
