import Glibc

/// The shared libraries that this program runs on.
///
/// A toolchain below a closed home folder can be read by root but not by the user that a throwaway
/// engine becomes, so that the worker, a new start of the same program, would not load.
enum RuntimeLibraries: Sendable {
  /// Copies those libraries that only this user can read to `folder` and has later starts of the
  /// program look there first; does nothing when everybody can read them all.
  ///
  /// - Parameters:
  ///   - folder: An absolute path; made if needed.
  ///   - uid: Who will own the copies.
  static func keepReadable(in folder: String, for uid: uid_t) {
    let closed = loaded.filter { !isReadableByAll($0) }
    guard !closed.isEmpty else { return }
    unsafe mkdir(folder, 0o755)
    unsafe chown(folder, uid, uid)
    for path in closed {
      let name = path.split(separator: "/").last.map(String.init) ?? path
      guard copy(path, to: "\(folder)/\(name)") else { continue }
    }
    unsafe setenv("LD_LIBRARY_PATH", folder, 1)
  }

  /// The files that are mapped as libraries, each once.
  private static var loaded: [String] {
    guard let text = read("/proc/self/maps") else { return [] }
    var seen = Set<Substring>()
    return text.split(separator: "\n").compactMap { line in
      guard let start = line.firstIndex(of: "/") else { return nil }
      let path = line[start...]
      guard path.contains(".so"), seen.insert(path).inserted else { return nil }
      return String(path)
    }
  }

  private static func isReadableByAll(_ path: String) -> Bool {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      if mode(of: folder) & 0o001 == 0 { return false }
    }
    return mode(of: path) & 0o004 != 0
  }

  private static func mode(of path: String) -> mode_t {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode : 0
  }

  private static func copy(_ source: String, to target: String) -> Bool {
    let input = unsafe open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { return false }
    defer { close(input) }
    let output = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o755)
    guard output >= 0 else { return false }
    defer { close(output) }
    while true {
      let count = sendfile(output, input, nil, 1 << 24)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return count == 0 }
    }
  }

  private static func read(_ path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe Glibc.read(file, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
      bytes += buffer[..<count]
    }
  }
}
