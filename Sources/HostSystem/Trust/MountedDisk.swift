internal import CProcess
internal import Glibc

/// The mounted file system of a path, from `/proc/self/mountinfo`.
struct MountedDisk: Sendable, Hashable {
  /// The file system type (`ext4`, `fuse.sshfs`).
  package let kind: String
  /// The mounted device, or a word of the file system's own.
  package let source: String
  /// The options of this mount and of the file system.
  package let options: Set<String>

  /// The user whose FUSE program serves the files and can report any owner; nil when the kernel
  /// serves them, or does not name the user.
  var answeringUser: UInt32? {
    options.lazy.filter { $0.hasPrefix("user_id=") }.compactMap { UInt32($0.dropFirst(8)) }.first
  }

  /// Whether a program serves the files (FUSE).
  var isAnsweredByProgram: Bool { kind == "fuse" || kind.hasPrefix("fuse.") || kind == "fuseblk" }

  /// Whether it is mounted like removable disks of users, with nosuid and nodev: files that belong
  /// to root there may come from another machine's root.
  var isBroughtByUser: Bool {
    source.hasPrefix("/dev/") && options.isSuperset(of: ["nosuid", "nodev"])
  }

  /// Returns the file system of a file; nil when the kernel does not list it.
  package static func of(_ path: String) -> MountedDisk? {
    let file = unsafe file_reference(path)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let lines = (RootFiles.text(of: "/proc/self/fdinfo/\(file)") ?? "").split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("mnt_id:") }),
      let id = line.split(whereSeparator: { $0.isWhitespace }).last
    else { return nil }
    return list(RootFiles.text(of: "/proc/self/mountinfo", limit: 1 << 24) ?? "")[String(id)]
  }

  /// Parses a text in the form of proc_pid_mountinfo(5); returns the mounts by mount id.
  ///
  /// The text is split by bytes: a disk's name may begin with a combining character, which would
  /// join a separator.
  package static func list(_ text: String) -> [String: MountedDisk] {
    var disks: [String: MountedDisk] = [:]
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
      guard let dash = words.dropFirst(6).firstIndex(of: "-"), words.count >= dash + 4 else {
        continue
      }
      let options = [words[5], words[dash + 3]].flatMap {
        $0.utf8.split(separator: UInt8(ascii: ","))
      }
      disks[words[0]] = MountedDisk(
        kind: words[dash + 1], source: words[dash + 2],
        options: Set(options.map { String(Substring($0)) }))
    }
    return disks
  }
}
