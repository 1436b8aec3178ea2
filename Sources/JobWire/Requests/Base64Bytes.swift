internal import FoundationEssentials

/// Bytes, encoded as base64 text in JSON.
package struct Base64Bytes: Sendable, Hashable, Codable {
  /// The decoded bytes.
  package var bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let data = Data(base64Encoded: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "the text is not base64")
    }
    bytes = [UInt8](data)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Data(bytes).base64EncodedString())
  }
}
