import CProcess
import Glibc
import HostSystem
import PackageProvider

/// The request to stop as it lies in the job folder: asked for, taken back, or in effect.
///
/// All of it happens under the gate's lock, so that each of the three sees the others whole.
extension JobFolder {
  /// What became of a request to stop.
  enum StopAcceptance {
    /// Nobody asks for a stop.
    case notAsked
    /// The stop is in effect and cannot be taken back any more; to be kept until the work is over.
    case taken(Descriptor?)
  }

  /// Asks for a stop that nobody has asked for yet; under the gate's lock only.
  ///
  /// Where the disk is full, the room that was set aside becomes the request.
  ///
  /// - Parameter text: As ``StopDecision/text(for:)``.
  /// - Returns: Whether the request stands.
  func askForStop(_ text: String) -> Bool {
    if create(.stop, text) { return true }
    guard !has(.stop), let room = open(.stopRoom, O_WRONLY | O_NONBLOCK) else { return false }
    let content = Array(text.utf8)
    // What an attempt before has left behind it names packages, too.
    guard Self.append(content, to: room), ftruncate(room.number, content.count) == 0,
      fsync(room.number) == 0
    else { return false }
    return unsafe rename(path(.stopRoom), path(.stop)) == 0
  }

  /// Has a stop that stands be for a request that takes the place of the one before it; under the
  /// gate's lock only.
  ///
  /// In place, which needs no room on most file systems; else as a new file.
  ///
  /// - Returns: Whether the request stands, or the one before it does.
  func changeStop(to record: StopRecord) -> Bool {
    let text = text(of: .stop)
    let earlier = StopDecision.record(in: text)
    guard record.replaces(of: earlier) else { return true }
    if let earlier, earlier.line.utf8.count == record.line.utf8.count,
      let file = open(.stop, O_WRONLY)
    {
      let place = off_t(text.utf8.prefix { $0 != 0x0A }.count + 1)
      if Self.overwrite(file, at: place, with: record.line) { return true }
      // What is refused must not stand there.
      _ = Self.overwrite(file, at: place, with: earlier.line)
    }
    return writeWhole(
      Array(StopDecision.text(text, for: record).utf8), to: .stop, sharesWithOwner: true)
  }

  private static func overwrite(_ file: Descriptor, at place: off_t, with line: String) -> Bool {
    let line = Array(line.utf8)
    let written = unsafe line.withUnsafeBytes {
      unsafe pwrite(file.number, $0.baseAddress, $0.count, place)
    }
    return written == line.count && fsync(file.number) == 0
  }

  /// Bytes for a stop in a small job.
  private static let leastStopRoom = 16 << 10

  /// Sets room aside for a request to stop where the last one has taken it; without it, the next one
  /// needs a disk that is not full.
  private func setStopRoomAside(_ bytes: Int) {
    guard let room = open(.stopRoom, O_WRONLY | O_CREAT | O_EXCL) else { return }
    _ = file_reserve(room.number, bytes)
  }

  /// Lets a stop take effect, if one is asked for; from then on it cannot be withdrawn.
  ///
  /// `stopped` becomes a second name of `stop`, which needs no room on the disk. Where even that
  /// fails, the promise to stop is kept all the same, and the lock on `stop` says that it is.
  func acceptStop() -> StopAcceptance {
    whileGateIsLocked {
      guard has(.stop) else { return StopAcceptance.notAsked }
      let hold = open(.stop, O_RDONLY)
      if let hold { _ = file_lock(hold.number, 0) }
      noteStopped()
      return .taken(hold)
    } ?? .notAsked
  }

  /// Notes that the stop is in effect, where that is not noted yet; under the gate's lock only.
  func noteStopped() {
    if !has(.stopped) { unsafe link(path(.stop), path(.stopped)) }
  }

  /// Takes a request to stop back.
  ///
  /// - Returns: Whether it is gone and has had no effect.
  func withdrawStop() -> Bool { whileGateIsLocked { withdrawStopUnderLock() } ?? false }

  /// Takes a request to stop back; under the gate's lock only.
  ///
  /// - Returns: As ``withdrawStop()``.
  func withdrawStopUnderLock() -> Bool {
    guard has(.stop), !has(.stopped), !has(.exit), !hasLostWorker,
      let file = open(.stop, O_RDONLY), file_lock(file.number, 0) == 0
    else { return false }
    guard unsafe unlink(path(.stop)) == 0 else { return false }
    setStopRoomAside(Self.leastStopRoom)
    return true
  }

  /// Whether the worker and all that it ran are gone without having said how the work ended.
  ///
  /// A worker that was not begun yet is none that is lost.
  var hasLostWorker: Bool {
    guard !has(.exit), let identity = value(ProcessIdentity.self, of: .started) else {
      return false
    }
    return identity.open() == nil && !SessionWork(after: identity).isAtWork
  }
}
