/// Cuts a stream of bytes into lines at line feeds, holding at most one line of bounded length.
package struct LineSplitter: Sendable {
  /// The line being received is longer than allowed; the stream cannot be trusted any more.
  package struct LineTooLong: Error, Sendable, Hashable {
    /// The limit in bytes.
    package var limit: Int
  }

  /// Set once a line cannot end in time, complete or not: the lines before it were given, and none
  /// comes after it.
  package private(set) var overflow: LineTooLong?

  /// The most bytes of a line, line feed not counted; a change is heeded from the next bytes on.
  package var limit: Int
  private var pending: [UInt8] = []

  /// How many bytes of memory the line that is being received has.
  package var heldBytes: Int { pending.capacity }

  /// A splitter for lines of at most `limit` bytes, line feed not counted.
  package init(limit: Int = WireProtocol.maximumLine) { self.limit = limit }

  /// Takes the next bytes of the stream.
  ///
  /// A carriage return before the line feed is removed, empty lines are left out.
  ///
  /// - Returns: The lines that are complete now, in order. Which lines come in all does not depend on
  ///   how the bytes arrive, also where one is too long.
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
