/// The reason why a process must not rely on a file or folder: the first path on the way to it that
/// another user can change, or that cannot be examined.
package struct UntrustedPath: Error, Sendable, Hashable, CustomStringConvertible {
  /// A problem of a path.
  package enum Problem: Sendable, Hashable {
    /// The path belongs to this user, who is not trusted.
    case owner(UInt32)
    /// Users other than the owner may write the path; the value is its permission bits.
    case writable(UInt32)
    /// The path cannot be examined; the value is the error number.
    case unreadable(Int32)
    /// The path has more symbolic links than the kernel follows.
    case tooManyLinks
    /// Another kind of file is where a folder must be.
    case notAFolder
    /// The path is on a file system whose owners are reported by another user's program (FUSE).
    case claimedOwners
    /// The path is on a disk that is mounted like removable disks of users.
    case usersDisk
    /// The kernel does not list the path's file system.
    case unknownDisk
  }

  /// The absolute path with the problem: the checked path, a parent folder, or a link on the way.
  package let path: String
  /// The path's problem.
  package let problem: Problem

  /// - Parameters:
  ///   - path: An absolute path.
  ///   - problem: The path's problem.
  package init(_ path: String, _ problem: Problem) {
    self.path = path
    self.problem = problem
  }

  /// Whether the path does not exist; a missing path alone is not a reason for distrust.
  package var isMissing: Bool { problem == .unreadable(2) }

  /// One sentence without a full stop, naming the path, and the owner or the permission bits.
  ///
  /// Control characters in the path are replaced.
  package var description: String {
    let shown = Sanitised.line(path, replacement: "?")
    return switch problem {
    case .owner(let uid): "'\(shown)' belongs to user \(uid)"
    case .writable(let mode): "'\(shown)' can be written by others (mode \(Self.octal(mode)))"
    case .unreadable(let code): "'\(shown)' cannot be examined (\(Self.words(of: code)))"
    case .tooManyLinks: "'\(shown)' leads through too many symbolic links"
    case .notAFolder: "'\(shown)' is not a folder"
    case .claimedOwners:
      "'\(shown)' lies on a file system (FUSE) where a program of another user says who owns what"
    case .unknownDisk: "'\(shown)' lies on a disk that '/proc/self/mountinfo' does not list"
    case .usersDisk:
      "'\(shown)' lies on a disk that is mounted with nosuid and nodev, as disks that users bring are"
    }
  }

  /// Returns the reason why root stops, one sentence without a full stop.
  ///
  /// - Parameter name: The name of the path's purpose, with its article.
  /// - Returns: The sentence.
  package func refusal(of name: String) -> String { "root must not rely on \(name): \(self)" }

  /// A hint for the administrator, one line.
  package var hint: String {
    switch problem {
    case .owner: "use a path that only this user and root own, all folders above it included"
    case .writable(let mode) where mode & 0o1000 != 0:
      "use a path in a folder that nobody else can write"
    case .writable: "take the right to write from group and others: chmod go-w '\(path)'"
    case .unreadable, .tooManyLinks, .notAFolder: "name another path"
    case .claimedOwners: "name a path on a disk of this machine"
    case .unknownDisk: "name a path on a disk that is listed there"
    case .usersDisk:
      "if the disk is this machine's own, mount it with suid and dev; chroots need both"
    }
  }

  private static func octal(_ mode: UInt32) -> String {
    let digits = String(mode & 0o7777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
