package import Glibc

/// One row of `/proc`.
struct ProcessRow: Sendable, Hashable {
  var process: pid_t
  /// The process that started it, or that took it over.
  var parent: pid_t
  /// The session it belongs to, named by its leader.
  var session: pid_t
  /// The effective user.
  var owner: uid_t
  /// Its program and arguments; empty for a process that has ended and was not waited for.
  var words: [String]
}

/// The processes of the machine.
package enum ProcessTable: Sendable {
  /// The processes that run exactly this command.
  ///
  /// - Parameter words: The program as it was called, and its arguments.
  /// - Returns: Their ids.
  package static func processes(running words: [String]) -> Set<pid_t> {
    Set(all().filter { $0.words == words }.map(\.process))
  }

  /// All processes at this moment.
  static func all() -> [ProcessRow] {
    SmallFile.names(in: "/proc").compactMap { name in
      guard let process = pid_t(name) else { return nil }
      var record = stat()
      guard unsafe stat("/proc/\(name)", &record) == 0,
        let line = SmallFile.text("/proc/\(name)/stat"), let kin = kin(in: line),
        let command = SmallFile.text("/proc/\(name)/cmdline")
      else { return nil }
      let words = command.split(separator: "\0").map(String.init)
      return ProcessRow(
        process: process, parent: kin.parent, session: kin.session, owner: record.st_uid,
        words: words)
    }
  }

  /// The parent and the session in a line of `/proc/PID/stat`; nil when it is none.
  ///
  /// The name in parentheses may hold anything, so fields are counted from the last one on.
  static func kin(in line: String) -> (parent: pid_t, session: pid_t)? {
    guard let close = line.lastIndex(of: ")") else { return nil }
    let fields = line[line.index(after: close)...].split(separator: " ")
    guard fields.count > 3, let parent = pid_t(fields[1]), let session = pid_t(fields[3]) else {
      return nil
    }
    return (parent, session)
  }
}

extension [ProcessRow] {
  /// The worker of a job, by the folder that it was started for.
  func worker(of folder: String) -> ProcessRow? {
    first { $0.words.suffix(2) == ["work", folder] && $0.session == $0.process }
  }

  /// The leaders of workers' sessions below a state folder, whether they still live or not.
  func workers(below state: String) -> [ProcessRow] {
    filter { row in
      row.words.count > 1 && row.words[row.words.count - 2] == "work"
        && row.words[row.words.count - 1].hasPrefix(state + "/jobs/")
    }
  }
}
