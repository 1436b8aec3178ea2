@unsafe @preconcurrency import Dispatch
import Glibc
import Synchronization

/// Reports when a file that an operator edits has new content.
///
/// It uses inotify(7), not polling. It handles editors that write in place, editors that rename a
/// new file over the old one, and symbolic links anywhere in the path: the file counts as changed
/// when a link in its path leads to another file. A missing file is awaited. The removal of a file
/// is not reported, since an editor may be about to write it again.
package final class FileWatch: Sendable {
  /// Yields when the content may be new; at most one element is buffered.
  package let changes: AsyncStream<Void>

  private struct State {
    var paths: [String] = []
    /// The names of interest in each folder, by watch descriptor.
    var names: [Int32: Set<String>] = [:]
    /// For each path, the resolved path when its file last existed, and whether the path has led to
    /// the file's folder since then.
    var ends: [String: (end: String?, isReached: Bool)] = [:]
  }

  private let continuation: AsyncStream<Void>.Continuation
  private let inotify: Int32
  private let source: any DispatchSourceRead
  private let state = Mutex(State())

  private static let events = UInt32(
    IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF
      | IN_MOVE_SELF)

  /// Watches files; nil when the kernel grants no inotify instance.
  ///
  /// - Parameter paths: The files' paths; they need not exist.
  package init?(_ paths: [String]) {
    let inotify = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard inotify >= 0 else { return nil }
    self.inotify = inotify
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    source = DispatchSource.makeReadSource(
      fileDescriptor: inotify, queue: DispatchQueue(label: "fettle.file-watch"))
    source.setCancelHandler { close(inotify) }
    watch(paths)
    source.setEventHandler { [weak self] in self?.handleEvents() }
    source.resume()
  }

  deinit {
    source.cancel()
    continuation.finish()
  }

  /// Replaces the watched files.
  package func watch(_ paths: [String]) {
    state.withLock { state in
      state.paths = paths
      state.ends = [:]
      _ = updateWatches(&state)
    }
  }

  // MARK: Events of the kernel

  private func handleEvents() {
    let isNew = state.withLock { state in
      var isTold = false
      for event in events() {
        let isWhole = event.mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) != 0
        isTold =
          isTold || event.mask & UInt32(IN_Q_OVERFLOW) != 0
          || isWhole && state.names[event.watch]?.contains(event.name) ?? false
        // A removed folder may already exist again, and files written into it meanwhile caused no
        // event.
        let isGone = event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF) != 0
        if isGone, state.names[event.watch] != nil {
          for path in state.ends.keys { state.ends[path]?.isReached = false }
        }
      }
      return updateWatches(&state) || isTold
    }
    if isNew { continuation.yield() }
  }

  private func events() -> [(watch: Int32, mask: UInt32, name: String)] {
    var events: [(watch: Int32, mask: UInt32, name: String)] = []
    let head = MemoryLayout<inotify_event>.size
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(inotify, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return events }
      var start = 0
      while start + head <= count {
        let event = unsafe buffer.withUnsafeBytes {
          unsafe $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
        }
        let end = start + head + Int(event.len)
        guard end <= count else { break }
        let name = buffer[(start + head)..<end].prefix { $0 != 0 }
        events.append((event.wd, event.mask, String(decoding: name, as: UTF8.self)))
        start = end
      }
    }
  }

  // MARK: Watches

  /// Resolves every path again and watches each folder in which its meaning can change.
  ///
  /// - Returns: Whether a path leads to another file than before: by a link, or because a folder
  ///   appeared with the file in it.
  private func updateWatches(_ state: inout State) -> Bool {
    var ways = state.paths.map(ResolvedPath.init)
    // The second resolution finds changes between the first one and the new watches.
    for _ in 0..<3 {
      listen(at: ways.flatMap(\.places), &state)
      let again = state.paths.map(ResolvedPath.init)
      let isSettled = zip(ways, again).allSatisfy { $0.places == $1.places }
      ways = again
      if isSettled { break }
    }
    var isElsewhere = false
    for (path, way) in zip(state.paths, ways) {
      let before = state.ends[path]
      if let before, way.exists, before.end != way.end || !before.isReached { isElsewhere = true }
      let keeps = before != nil && !way.exists
      state.ends[path] = (keeps ? before?.end : way.end, way.end != nil)
    }
    return isElsewhere
  }

  private func listen(at places: [ResolvedPath.Place], _ state: inout State) {
    var names: [Int32: Set<String>] = [:]
    for place in places {
      let watch = unsafe inotify_add_watch(
        inotify, place.folder, Self.events | UInt32(IN_ONLYDIR))
      if watch >= 0 { names[watch, default: []].insert(place.name) }
    }
    for watch in state.names.keys where names[watch] == nil { inotify_rm_watch(inotify, watch) }
    state.names = names
  }
}
