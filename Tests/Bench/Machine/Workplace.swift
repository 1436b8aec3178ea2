internal import FoundationEssentials
internal import Glibc

/// A folder of one section: home, settings and sockets of what it starts.
///
/// Removed by ``remove()``, which does not depend on who still holds the value.
struct Workplace: Sendable {
  /// Its absolute path, short enough for a socket below it.
  let path: String

  /// Makes the folder, mode 0700, below `$TMPDIR` where that is short enough, else below `/tmp`.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be made.
  init() throws(CannotMeasure) {
    let wanted = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    let parent = wanted.hasPrefix("/") && wanted.utf8.count <= 60 ? wanted : "/tmp"
    var template = Array("\(parent)/fettle-bench-XXXXXX".utf8CString)
    let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe mkdtemp(start) != nil
    }
    guard isMade else {
      throw CannotMeasure("cannot make a folder in '\(parent)'", hint: "set TMPDIR to one of yours")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether something is mounted below it.
  var hasMounts: Bool { SmallFile.text("/proc/self/mounts")?.contains(" \(path)/") ?? true }

  /// Removes the folder with all in it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Removes one folder of it.
  func removeFolder(_ name: String) {
    try? FileManager.default.removeItem(atPath: path + "/" + name)
  }

  /// Makes a folder in it and returns its path.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be made.
  func folder(_ name: String) throws(CannotMeasure) -> String {
    let folder = path + "/" + name
    guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw CannotMeasure("cannot make the folder '\(folder)'")
    }
    return folder
  }

  /// The environment of a program that nobody has set up: a clean home, a fixed terminal and locale.
  ///
  /// - Throws: ``CannotMeasure`` when its folders cannot be made.
  func environment(home name: String) throws(CannotMeasure) -> [String: String] {
    let home = try folder(name)
    return [
      "HOME": home,
      "XDG_CONFIG_HOME": try folder(name + "/config"),
      "XDG_STATE_HOME": try folder(name + "/state"),
      "XDG_RUNTIME_DIR": try folder(name + "/runtime"),
      "PATH": "/usr/local/bin:/usr/bin:/bin",
      "TERM": "xterm-256color",
      "LANG": "C.UTF-8",
    ]
  }
}
