import Glibc

/// A file that another process appends to, read on from where reading stopped.
struct GrowingFile: Sendable {
  let path: String
  /// How many bytes have been taken; always the end of a line when reading lines.
  private(set) var offset: Int64
  /// Whether the file was found shorter than what has been taken of it: somebody emptied it.
  private(set) var isCut = false

  /// The most bytes taken at once, so that a reader of a long file stays responsive.
  static let chunk = 1 << 20

  init(_ path: String, from offset: Int64 = 0) {
    self.path = path
    self.offset = offset
  }

  /// The lines that have been completed since, without their line feeds, at most a chunk of them.
  ///
  /// A line whose end has not been written yet is left for the next time. A line longer than a chunk
  /// is given out in pieces, since nothing that writes these files writes such lines.
  ///
  /// - Parameter chunk: The most bytes that are taken.
  /// - Returns: The lines, oldest first.
  mutating func lines(chunk: Int = Self.chunk) -> [Substring] {
    let content = bytes(limit: chunk)
    let isFull = content.count == chunk
    let end = content.lastIndex(of: 0x0A).map { $0 + 1 } ?? (isFull ? content.count : 0)
    guard end > 0 else { return [] }
    offset += Int64(end)
    // Only line feeds end a line: what packages print may hold every other separator.
    return content[..<end].split(separator: 0x0A).map {
      Substring(String(decoding: $0, as: UTF8.self))
    }
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
