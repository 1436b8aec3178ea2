/// A piece of a job's log.
public struct LogPiece: Sendable, Hashable {
  /// The position of the piece in the log, in bytes.
  public var offset: Int64
  /// The unfiltered output of packages: remove control characters before display.
  ///
  /// Each byte that is not valid UTF-8 is replaced by a question mark, so that text and log have
  /// the same length in bytes.
  public var text: String
  /// The position of the next piece in bytes; equal to `offset` at the current end of the log.
  public var next: Int64
  /// The current length of the log in bytes.
  public var length: Int64

  /// Creates a value from its parts.
  public init(offset: Int64, text: String, next: Int64, length: Int64) {
    self.offset = offset
    self.text = text
    self.next = next
    self.length = length
  }
}
