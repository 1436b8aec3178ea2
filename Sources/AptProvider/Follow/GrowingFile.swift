import Glibc
import HostSystem

/// A file to which another process appends, read on from the last position.
///
/// Reading has limits, because a package can write any amount: `mostLines` lines, and
/// ``lineLength`` bytes for each of these lines. Data beyond the limits is not read.
struct GrowingFile: Sendable {
  let path: String
  /// Number of bytes consumed; always the end of a line when reading lines.
  private(set) var offset: Int64
  /// Whether the file was found shorter than ``offset``: another process truncated it.
  private(set) var isCut = false

  /// Whether the file is longer than the reading limits.
  private(set) var isOverlong = false
  /// Lines and bytes that may still be read.
  ///
  /// Counts the data read and not the position in the file, so that a file that is truncated
  /// repeatedly has the same limits.
  private var linesLeft: Int
  private var bytesLeft: Int64

  /// Bytes allowed per line on average; files with longer lines reach the limit of bytes first.
  private static let lineLength: Int64 = 256
  /// The default limit of lines.
  static let mostLines = 1 << 16

  /// Maximum number of bytes consumed in one call, so that the reader of a long file stays
  /// responsive.
  static let chunk = 1 << 20

  /// Creates a reader of a file.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - offset: Number of bytes consumed already.
  ///   - mostLines: The limit of lines from there on.
  init(_ path: String, from offset: Int64 = 0, mostLines: Int = Self.mostLines) {
    self.path = path
    self.offset = offset
    linesLeft = mostLines
    bytesLeft = Int64(mostLines) * Self.lineLength
  }

  /// Reads the lines completed since the last call, without their line feeds, at most one chunk.
  ///
  /// A line whose end has not been written yet is left for the next call. A line longer than a
  /// chunk is returned in pieces; the writers of these files write no such lines.
  ///
  /// - Parameter chunk: Maximum number of bytes consumed.
  /// - Returns: The lines, oldest first.
  mutating func lines(chunk: Int = Self.chunk) -> [Substring] {
    guard !isOverlong else { return [] }
    let content = bytes(limit: chunk)
    guard linesLeft > 0, content.count <= bytesLeft else {
      isOverlong = !content.isEmpty
      return []
    }
    let isFull = content.count == chunk
    let end = content.lastIndex(of: 0x0A).map { $0 + 1 } ?? (isFull ? content.count : 0)
    guard end > 0 else { return [] }
    offset += Int64(end)
    bytesLeft -= Int64(end)
    // Only line feeds end a line: packages may print any other separator.
    let lines = content[..<end].split(separator: 0x0A)
    defer { linesLeft -= lines.count }
    return lines.map { Substring(String(decoding: $0, as: UTF8.self)) }
  }

  /// Moves the offset to the file's present length.
  ///
  /// - Returns: The length; nil when it has not changed.
  mutating func grown() -> Int64? {
    guard let size = RootFiles.status(path)?.size, size != offset else { return nil }
    offset = size
    return size
  }

  private mutating func bytes(limit: Int) -> [UInt8] {
    guard let file = Descriptor(opening: path, O_RDONLY | O_NOFOLLOW) else { return [] }
    var record = stat()
    guard unsafe fstat(file.number, &record) == 0, record.st_mode & S_IFMT == S_IFREG else {
      return []
    }
    guard Int64(record.st_size) >= offset else {
      // The writers append, so new lines follow the new end.
      isCut = true
      offset = Int64(record.st_size)
      return []
    }
    let limit = Int(min(Int64(limit), Int64(record.st_size) - offset))
    return file.read(at: offset, limit: limit) ?? []
  }
}
