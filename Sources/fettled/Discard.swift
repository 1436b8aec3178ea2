import ArgumentParser
import Glibc
import HostSystem
import JobServer

/// The command `fettled discard`: empties the folder of a try, as the user who owns it.
///
/// `fettle try` starts it. Root must not walk through a tree that another user can change
/// meanwhile.
struct Discard: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Empty the folder of a try.", shouldDisplay: false)

  @Argument(help: "The folder.") var folder: String

  func run() throws {
    var status = stat()
    guard unsafe lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    let owner = status.st_uid
    // Root removes nothing from a folder that other users can enter and change meanwhile.
    if geteuid() == 0, owner == 0 {
      try Trust.require(AbsolutePath.of(folder), as: "the folder of a try")
      guard status.st_mode & 0o077 == 0 else { throw ExitCode.failure }
    }
    if geteuid() == 0, owner != 0 {
      guard setgroups(0, nil) == 0, setgid(owner) == 0, setuid(owner) == 0, geteuid() == owner
      else { throw ExitCode.failure }
    }
    Self.empty(folder)
  }

  /// Removes a folder's content without following links, and the folder itself if its parent
  /// permits that.
  static func empty(_ folder: String) {
    for name in RootFiles.names(in: folder) {
      _ = FileRemoval.remove("\(folder)/\(name)")
    }
    unsafe rmdir(folder)
  }
}
