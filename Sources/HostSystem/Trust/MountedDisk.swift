internal import CProcess
internal import Glibc

/// The file system that a path lies on, as the kernel lists it in `/proc/self/mountinfo`.
struct MountedDisk: Sendable, Hashable {
  /// The kind of file system (`ext4`, `fuse.sshfs`).
  package let kind: String
  /// What is mounted: a device, or a word of the file system's own.
  package let source: String
  /// The options of this mount and of the file system.
  package let options: Set<String>

  /// The user whose program answers for the files and claims any owner it likes; nil where the kernel
  /// answers, or does not say whose program it is.
  var answeringUser: UInt32? {
    options.lazy.filter { $0.hasPrefix("user_id=") }.compactMap { UInt32($0.dropFirst(8)) }.first
  }

  /// Whether a program answers for the files (FUSE).
  var isAnsweredByProgram: Bool { kind == "fuse" || kind.hasPrefix("fuse.") || kind == "fuseblk" }

  /// Whether it is a disk that is mounted as users' own disks are: root's files on it need not have been
  /// made by this machine's root.
  var isBroughtByUser: Bool {
    source.hasPrefix("/dev/") && options.isSuperset(of: ["nosuid", "nodev"])
  }

  /// The file system of a file; nil where the kernel does not list it.
  package static func of(_ path: String) -> MountedDisk? {
    let file = unsafe file_reference(path)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let lines = OpenFile.text(of: "/proc/self/fdinfo/\(file)").split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("mnt_id:") }),
      let id = line.split(whereSeparator: { $0.isWhitespace }).last
    else { return nil }
    return list(OpenFile.text(of: "/proc/self/mountinfo"))[String(id)]
  }

  /// The mounts of a text as proc_pid_mountinfo(5) describes it, by their ids.
  ///
  /// Read byte by byte: the name of a disk may join with what stands beside it to one character.
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
