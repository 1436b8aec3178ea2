import Glibc
import HostSystem

/// A file that another process appends to, read on from where reading stopped.
///
/// What a package writes there must not be read for ever: after a number of lines, and of bytes as
/// for lines of ``lineLength``, nothing more is.
struct GrowingFile: Sendable {
  let path: String
  /// How many bytes have been taken; always the end of a line when reading lines.
  private(set) var offset: Int64
  /// Whether the file was found shorter than what has been taken of it: somebody emptied it.
  private(set) var isCut = false

  /// Whether the file has more than is ever read of it.
  private(set) var isOverlong = false
  /// Lines and bytes that are still read.
  ///
  /// By what was read and not by where: a file that is emptied again and again has no more than others.
  private var linesLeft: Int
  private var bytesLeft: Int64

  /// The mean length of a line, in bytes, up to which all lines are read.
  private static let lineLength: Int64 = 256
  /// How many lines are read of a file whose reader says nothing else.
  static let mostLines = 1 << 16

  /// The most bytes taken at once, so that a reader of a long file stays responsive.
  static let chunk = 1 << 20

  /// - Parameters:
  ///   - path: Where it is.
  ///   - offset: How many bytes have been taken already.
  ///   - mostLines: How many lines are read from there on.
  init(_ path: String, from offset: Int64 = 0, mostLines: Int = Self.mostLines) {
    self.path = path
    self.offset = offset
    linesLeft = mostLines
    bytesLeft = Int64(mostLines) * Self.lineLength
  }

  /// The lines that have been completed since, without their line feeds, at most a chunk of them.
  ///
  /// A line whose end has not been written yet is left for the next time. A line longer than a chunk
  /// is given out in pieces, since nothing that writes these files writes such lines.
  ///
  /// - Parameter chunk: The most bytes that are taken.
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
    // Only line feeds end a line: what packages print may hold every other separator.
    let lines = content[..<end].split(separator: 0x0A)
    defer { linesLeft -= lines.count }
    return lines.map { Substring(String(decoding: $0, as: UTF8.self)) }
  }

  /// Takes the file's present length as read.
  ///
  /// - Returns: The length, or nil when it is what it was.
  mutating func grown() -> Int64? {
    guard let size = RootFiles.trace(path)?.size, size != offset else { return nil }
    offset = size
    return size
  }

  private mutating func bytes(limit: Int) -> [UInt8] {
    // A fifo in its place must not be waited for.
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    guard let file = Descriptor(unsafe open(path, flags)) else { return [] }
    var record = stat()
    guard unsafe fstat(file.number, &record) == 0, record.st_mode & S_IFMT == S_IFREG else {
      return []
    }
    guard Int64(record.st_size) >= offset else {
      // Its writers append: what comes from now on stands behind the new end.
      isCut = true
      offset = Int64(record.st_size)
      return []
    }
    let limit = Int(min(Int64(limit), Int64(record.st_size) - offset))
    guard limit > 0 else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      while count < limit {
        let taken = unsafe pread(
          file.number, buffer.baseAddress.map { unsafe $0 + count }, limit - count,
          off_t(offset) + off_t(count))
        if taken < 0, errno == EINTR { continue }
        guard taken > 0 else { break }
        count += taken
      }
    }
  }
}
