internal import CProcess
internal import Glibc

/// The file system that a path lies on, as the kernel lists it in `/proc/self/mountinfo`.
struct MountedDisk: Sendable, Hashable {
  /// The kind of file system (`ext4`, `fuse.sshfs`).
  let kind: String
  /// What is mounted: a device, or a word of the file system's own.
  let source: String
  /// The options of this mount and of the file system.
  let options: Set<String>

  /// Whether a program of a user other than root answers for the files: it claims any owner it likes.
  var isAnsweredByUser: Bool {
    (kind == "fuse" || kind.hasPrefix("fuse.") || kind == "fuseblk")
      && !options.contains("user_id=0")
  }

  /// Whether it is a disk that is mounted as users' own disks are: root's files on it need not have been
  /// made by this machine's root.
  var isBroughtByUser: Bool {
    source.hasPrefix("/dev/") && options.isSuperset(of: ["nosuid", "nodev"])
  }

  /// The file system of a file; nil where the kernel does not list it.
  static func of(_ path: String) -> MountedDisk? {
    let file = unsafe file_reference(path)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let fields = OpenFile.text(of: "/proc/self/fdinfo/\(file)").split(separator: "\n")
    guard let field = fields.first(where: { $0.hasPrefix("mnt_id:") }),
      let id = field.split(whereSeparator: { $0.isWhitespace }).last
    else { return nil }
    return list(OpenFile.text(of: "/proc/self/mountinfo"))[String(id)]
  }

  /// The mounts of a text as proc_pid_mountinfo(5) describes it, by their ids.
  static func list(_ text: String) -> [String: MountedDisk] {
    var disks: [String: MountedDisk] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count >= dash + 4 else {
        continue
      }
      let options = words[5].split(separator: ",") + words[dash + 3].split(separator: ",")
      disks[String(words[0])] = MountedDisk(
        kind: String(words[dash + 1]), source: String(words[dash + 2]),
        options: Set(options.map(String.init)))
    }
    return disks
  }
}
