import CProcess
import Glibc
import HostSystem
import PackageProvider

/// The request to stop in the job folder: making, cancelling and accepting it.
///
/// All of this happens under the gate's lock, so that each operation sees the others completely or
/// not at all.
extension JobFolder {
  /// The result of accepting a request to stop.
  enum StopAcceptance {
    /// No request to stop is pending.
    case notRequested
    /// The stop is in effect and cannot be cancelled; keep the descriptor until the work ends.
    case accepted(Descriptor?)
  }

  /// Writes a new request to stop; under the gate's lock only.
  ///
  /// On a full disk the reserved file becomes the request.
  ///
  /// - Parameter text: The text of ``StopDecision/text(for:)``.
  /// - Returns: Whether the request was written; false where one is pending already.
  func writeStopRequest(_ text: String) -> Bool {
    if create(.stop, text) { return true }
    guard !has(.stop), let room = open(.stopRoom, O_WRONLY | O_NONBLOCK) else { return false }
    let content = Array(text.utf8)
    // A failed earlier attempt may have left package names behind the new end, so the file is
    // truncated.
    guard room.write(content), ftruncate(room.number, content.count) == 0,
      fsync(room.number) == 0
    else { return false }
    return unsafe rename(path(.stopRoom), path(.stop)) == 0
  }

  /// Replaces the record of a pending request; under the gate's lock only.
  ///
  /// Overwrites the record in place, which needs no disk space on most file systems; otherwise
  /// writes a new file.
  ///
  /// - Returns: Whether the new request is written, or the earlier one stays by rule.
  func replaceStopRequest(to record: StopRecord) -> Bool {
    let text = text(of: .stop)
    let earlier = StopDecision.record(in: text)
    guard record.replaces(earlier) else { return true }
    if let earlier, earlier.line.utf8.count == record.line.utf8.count,
      let file = open(.stop, O_WRONLY)
    {
      let place = Int64(text.utf8.prefix { $0 != 0x0A }.count + 1)
      if Self.overwrite(file, at: place, with: record.line) { return true }
      // A refused request must not stay in the file.
      _ = Self.overwrite(file, at: place, with: earlier.line)
    }
    return writeWhole(
      Array(StopDecision.text(text, for: record).utf8), to: .stop, sharesWithOwner: true)
  }

  private static func overwrite(_ file: Descriptor, at place: Int64, with line: String) -> Bool {
    file.write(Array(line.utf8), at: place) && fsync(file.number) == 0
  }

  /// Bytes reserved for a request to stop in a small job.
  private static let leastStopRoom = 16 << 10

  /// Reserves disk space for the next request to stop, after the last one has used it.
  ///
  /// An error is ignored; the next request then fails on a full disk.
  private func reserveStopRoom(_ bytes: Int) {
    guard let room = open(.stopRoom, O_WRONLY | O_CREAT | O_EXCL) else { return }
    _ = file_reserve(room.number, bytes)
  }

  /// Accepts a pending request to stop; after that it cannot be cancelled.
  ///
  /// Makes `stopped` a hard link to `stop`, which needs no disk space. Where even that fails, the
  /// stop still takes effect, and the lock on `stop` records it.
  func acceptStop() -> StopAcceptance {
    whileGateIsLocked {
      guard has(.stop) else { return StopAcceptance.notRequested }
      let hold = open(.stop, O_RDONLY)
      if let hold { _ = file_lock(hold.number, 0) }
      markStopped()
      return .accepted(hold)
    } ?? .notRequested
  }

  /// Records that the stop is in effect, unless recorded already; under the gate's lock only.
  func markStopped() {
    if !has(.stopped) { unsafe link(path(.stop), path(.stopped)) }
  }

  /// Cancels a request to stop.
  ///
  /// - Returns: Whether the request is gone and has had no effect.
  func withdrawStop() -> Bool { whileGateIsLocked { withdrawStopUnderLock() } ?? false }

  /// Cancels a request to stop; under the gate's lock only.
  ///
  /// - Returns: As ``withdrawStop()``.
  func withdrawStopUnderLock() -> Bool {
    guard has(.stop), !has(.stopped), !has(.exit), !hasLostWorker,
      let file = open(.stop, O_RDONLY), file_lock(file.number, 0) == 0
    else { return false }
    guard unsafe unlink(path(.stop)) == 0 else { return false }
    reserveStopRoom(Self.leastStopRoom)
    return true
  }

  /// Whether the worker and all its tools have ended and left no exit status.
  ///
  /// False for a worker that has not started yet.
  var hasLostWorker: Bool {
    guard !has(.exit), let identity = value(ProcessIdentity.self, of: .started) else {
      return false
    }
    return identity.open() == nil && !SessionWork(after: identity).isAtWork
  }
}
