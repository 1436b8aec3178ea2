import CProcess
import FoundationEssentials
import Glibc
import HostSystem

/// What package scripts of a trial leave behind: processes that they started in the background, and
/// files in the machine's folders for temporary files.
///
/// A trial that root starts has a user id of its own, so that everything of that id is the trial's.
enum TryRemains: Sendable {
  private static let folders = ["/tmp", "/var/tmp", "/dev/shm"]

  /// Ends the other processes of this process's user and removes this user's files.
  ///
  /// Only for an id that no other user has. Nothing is done beside another engine of this user, whose
  /// work may go on: one that was refused because its package root is in use, for example.
  ///
  /// - Parameter kept: Folders of the trial, which stay.
  /// - Returns: What was ended and removed, one line each, and what could not be.
  static func clear(except kept: [String]) -> [String] {
    let own = geteuid()
    guard TryUserLock.isAlone(as: own) else {
      return ["everything of this user as it is: another engine of it works"]
    }
    var lines = endProcesses(of: own)
    for folder in folders {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
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

  /// Kills all processes of this user but this one, and waits a few seconds for their ends.
  private static func endProcesses(of own: uid_t) -> [String] {
    // Whoever may signal the first process may signal all: this would end the machine's.
    guard UnusedUserID.contains(own), getuid() == own, kill(1, 0) != 0, errno == EPERM else {
      return ["all processes as they are: the engine has rights over those of others"]
    }
    var named: [pid_t: String] = [:]
    for _ in 0..<50 {
      let processes = Self.processes(of: own)
      for process in processes { named[process.pid] = process.name }
      // All at once: none of them can begin another meanwhile.
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
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { $0 != getpid() }.compactMap { pid in
      guard let status = status(of: pid), status.uid == uid, !status.isOver else { return nil }
      return (pid, status.name)
    }
  }

  /// Name, real user id and whether it is over, of proc_pid_status(5).
  private static func status(of pid: pid_t) -> (name: String, uid: uid_t, isOver: Bool)? {
    guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/status") else { return nil }
    var (name, uid, isOver) = ("?", uid_t?.none, false)
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
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
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(200).map { (0x20...0x7E).contains($0.value) ? $0 : "?" }))
  }
}
