internal import Glibc

/// How long this disk takes to keep what it is given: the measure of everything that is durable.
enum SyncedWrite: Sendable {
  /// Overwrites a page of a file again and again, each time onto the disk.
  ///
  /// - Returns: Milliseconds of each.
  /// - Throws: ``CannotMeasure`` when the file cannot be written.
  static func times(_ count: Int, in folder: String) throws(CannotMeasure) -> [Double] {
    let path = folder + "/synced"
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw CannotMeasure("cannot write '\(path)'") }
    defer {
      close(file)
      unsafe unlink(path)
    }
    let page = [UInt8](repeating: 1, count: 4096)
    var times: [Double] = []
    for _ in 0..<count {
      let start = ContinuousClock.now
      let written = unsafe page.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, 4096, 0) }
      guard written == 4096, fdatasync(file) == 0 else {
        throw CannotMeasure("cannot write '\(path)' onto the disk")
      }
      times.append((ContinuousClock.now - start).milliseconds)
    }
    return times
  }
}
