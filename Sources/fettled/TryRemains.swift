import CProcess
import Glibc
import HostSystem

/// The remains of a try's package scripts: background processes, and files in the machine's
/// temporary folders.
///
/// A try that root starts has its own user id, so that everything with this id belongs to the try.
enum TryRemains: Sendable {
  private static let folders = ["/tmp", "/var/tmp", "/dev/shm"]

  /// Kills the other processes of this process's user and removes the user's temporary files.
  ///
  /// Only for a user id that no other user has. Does nothing while another engine has the same user
  /// id, since its jobs may still run: for example, this engine was refused because its package
  /// root is in use.
  ///
  /// - Parameter kept: Folders of the try, which are not removed.
  /// - Returns: One line for each process or file, also for failures.
  static func clear(except kept: [String]) -> [String] {
    let own = geteuid()
    guard TryUserLock.isAlone(as: own) else {
      return ["everything of this user as it is: another engine of it works"]
    }
    var lines = endProcesses(of: own)
    for folder in folders {
      for name in RootFiles.names(in: folder) {
        let path = "\(folder)/\(name)"
        var record = stat()
        guard unsafe lstat(path, &record) == 0, record.st_uid == own,
          !kept.contains(where: { $0 == path || $0.hasPrefix(path + "/") })
        else { continue }
        lines.append(
          FileRemoval.remove(path)
            ? "removed '\(printable(path))', left by a package script"
            : "'\(printable(path))' where it is: it cannot be removed")
      }
    }
    return lines
  }

  /// Kills all other processes of this user, and waits up to five seconds for their ends.
  private static func endProcesses(of own: uid_t) -> [String] {
    // A process that may signal process 1 may signal all: kill(-1) would end the machine's
    // processes.
    guard UnusedUserID.contains(own), getuid() == own, kill(1, 0) != 0, errno == EPERM else {
      return ["all processes as they are: the engine has rights over those of others"]
    }
    var named: [pid_t: String] = [:]
    for _ in 0..<50 {
      let processes = Self.processes(of: own)
      for process in processes { named[process.pid] = process.name }
      // One call kills all, so that none can start another process meanwhile.
      kill(-1, SIGKILL)
      guard let first = processes.first else { break }
      awaitEnd(of: first.pid)
    }
    let left = Self.processes(of: own)
    let ended = named.sorted { $0.key < $1.key }
      .filter { process in !left.contains { $0.pid == process.key } }
    return ended.map { "ended '\($0.value)' (pid \($0.key)), left by a package script" }
      + left.map { "'\($0.name)' (pid \($0.pid)) at work: it cannot be ended" }
  }

  /// Waits up to 100 ms for the end of a process.
  private static func awaitEnd(of pid: pid_t) {
    let descriptor = process_open(pid)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var ended = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&ended, 1, 100)
  }

  private static func processes(of uid: uid_t) -> [(pid: pid_t, name: String)] {
    let names = RootFiles.names(in: "/proc")
    return names.compactMap { pid_t($0) }.filter { $0 != getpid() }.compactMap { pid in
      guard let status = status(of: pid), status.uid == uid, !status.isOver else { return nil }
      return (pid, status.name)
    }
  }

  /// Returns name, real user id and whether the process has ended, from proc_pid_status(5); nil
  /// when there is no process.
  private static func status(of pid: pid_t) -> (name: String, uid: uid_t, isOver: Bool)? {
    guard let text = RootFiles.text(of: "/proc/\(pid)/status") else { return nil }
    var (name, uid, isOver) = ("?", uid_t?.none, false)
    for line in text.split(separator: "\n") {
      let words = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
      guard words.count > 1 else { continue }
      switch words[0] {
      case "Name:": name = printable(String(words[1]))
      case "State:": isOver = ["Z", "X"].contains(words[1])
      case "Uid:": uid = uid_t(words[1])
      default: continue
      }
    }
    return uid.map { (name, $0, isOver) }
  }

  private static func printable(_ text: String) -> String {
    Sanitised.line(text, limit: 200, replacement: "?")
  }
}
