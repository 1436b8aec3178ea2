/// Splits a stream of bytes into lines at line feeds.
///
/// Keeps at most one line of limited length.
package struct LineSplitter: Sendable {
  /// The error for a line over the limit.
  ///
  /// The stream cannot be used any more.
  package struct LineTooLong: Error, Sendable, Hashable {
    /// The limit in bytes.
    package var limit: Int
  }

  /// Set when a line exceeds the limit, complete or not.
  ///
  /// The lines before it were returned; none follows.
  package private(set) var overflow: LineTooLong?

  /// Largest line in bytes, without its line feed.
  ///
  /// A change takes effect at the next ``append(_:)``.
  package var limit: Int
  private var pending: [UInt8] = []

  /// Bytes of memory that the incomplete line occupies.
  package var heldBytes: Int { pending.capacity }

  /// A splitter for lines of at most `limit` bytes, without the line feed.
  package init(limit: Int = WireProtocol.maximumLine) { self.limit = limit }

  /// Adds the next bytes of the stream.
  ///
  /// A carriage return before the line feed is removed. Empty lines are omitted.
  ///
  /// - Returns: The lines completed by these bytes, in order. The sequence of all lines does not
  ///   depend on how the stream is divided, even if a line is too long.
  package mutating func append(_ bytes: [UInt8]) -> [[UInt8]] {
    guard overflow == nil else { return [] }
    var lines: [[UInt8]] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      guard pending.count + (end - rest.startIndex) <= limit else { return overflowing(lines) }
      var line = pending
      line += rest[..<end]
      pending = []
      rest = rest[(end + 1)...]
      if line.last == 0x0D { line.removeLast() }
      if !line.isEmpty { lines.append(line) }
    }
    guard pending.count + rest.count <= limit else { return overflowing(lines) }
    pending += rest
    return lines
  }

  private mutating func overflowing(_ lines: [[UInt8]]) -> [[UInt8]] {
    overflow = LineTooLong(limit: limit)
    pending = []
    return lines
  }
}
