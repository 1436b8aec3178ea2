import CProcess
import FoundationEssentials
import Glibc

/// What package scripts of a trial leave behind: processes that they started in the background, and
/// files in the machine's folders for temporary files.
///
/// A trial that root starts has a user id of its own, so that everything of that id is the trial's.
enum TrialRemains: Sendable {
  private static let folders = ["/tmp", "/var/tmp", "/dev/shm"]

  /// Ends the other processes of this process's user and removes this user's files.
  ///
  /// Only for an id that no other user has. Nothing is done beside another engine of this user, whose
  /// work may go on: one that was refused because its package root is in use, for example.
  ///
  /// - Parameter kept: Folders of the trial, which stay.
  /// - Returns: What was ended and removed, one line each.
  static func clear(except kept: [String]) -> [String] {
    let own = geteuid()
    if let other = processes(of: own).first(where: { isEngine($0.pid) }) {
      return ["everything of this user as it is: another engine works (pid \(other.pid))"]
    }
    var lines: [String] = []
    // A process may start another one before it is ended.
    for _ in 0..<50 {
      let processes = Self.processes(of: own)
      guard !processes.isEmpty else { break }
      for process in processes where end(process.pid, of: own) {
        lines.append("ended '\(process.name)' (pid \(process.pid)), left by a package script")
      }
    }
    for folder in folders {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        let path = "\(folder)/\(name)"
        var record = stat()
        guard unsafe lstat(path, &record) == 0, record.st_uid == own,
          !kept.contains(where: { $0 == path || $0.hasPrefix(path + "/") }),
          (try? FileManager.default.removeItem(atPath: path)) != nil
        else { continue }
        lines.append("removed '\(printable(path))', left by a package script")
      }
    }
    return lines
  }

  /// Kills a process and waits up to 2 s for its end.
  private static func end(_ pid: pid_t, of uid: uid_t) -> Bool {
    let descriptor = process_open(pid)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // The number may be another process's by now.
    guard status(of: pid)?.uid == uid, process_signal(descriptor, SIGKILL) == 0 else {
      return false
    }
    var ended = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&ended, 1, 2000)
    return true
  }

  private static func processes(of uid: uid_t) -> [(pid: pid_t, name: String)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { $0 != getpid() }.compactMap { pid in
      guard let status = status(of: pid), status.uid == uid, !status.isOver else { return nil }
      return (pid, status.name)
    }
  }

  private static func isEngine(_ pid: pid_t) -> Bool {
    let command = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    let words = command.split(separator: 0).prefix(2).map { String(decoding: $0, as: UTF8.self) }
    return words.count == 2 && words[0].split(separator: "/").last == "fettled"
      && words[1] == "engine"
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
