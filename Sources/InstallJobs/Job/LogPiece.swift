/// A piece of a job's log.
public struct LogPiece: Sendable, Hashable {
  /// Where it begins, in bytes from the beginning of the log.
  public var offset: Int64
  /// What packages printed: hostile until control characters are removed.
  ///
  /// Each byte that is not UTF-8 is a question mark, so that text and log have one length.
  public var text: String
  /// Where the next piece begins; equal to `offset` when there is nothing more yet.
  public var next: Int64
  /// How long the log is now, in bytes.
  public var length: Int64

  /// A value of its parts.
  public init(offset: Int64, text: String, next: Int64, length: Int64) {
    self.offset = offset
    self.text = text
    self.next = next
    self.length = length
  }
}
