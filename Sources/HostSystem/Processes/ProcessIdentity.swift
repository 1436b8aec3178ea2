import CProcess
import Glibc

/// The identity of a process across reuse of its number: boot, number and start time.
package struct ProcessIdentity: Sendable, Hashable, Codable {
  /// The boot id of the machine when the process started.
  package var boot: String
  /// The process number.
  package var pid: Int32
  /// Clock ticks from boot to the process's start (`starttime` in proc(5)).
  package var started: UInt64

  /// Creates the identity of a running process; nil when there is none or it is a zombie.
  package init?(of pid: Int32) {
    guard let record = ProcessRecord(of: pid), record.state != "Z", record.state != "X" else {
      return nil
    }
    self.init(boot: Self.currentBoot, pid: pid, started: record.started)
  }

  /// Creates an identity from stored values.
  package init(boot: String, pid: Int32, started: UInt64) {
    self.boot = boot
    self.pid = pid
    self.started = started
  }

  /// The id of the machine's current boot.
  package static var currentBoot: String {
    let text = RootFiles.text(of: "/proc/sys/kernel/random/boot_id", limit: 64) ?? ""
    return String(text.prefix { $0 != "\n" })
  }

  /// The name of the program that the process runs, at most 15 bytes; empty when the process is
  /// gone.
  package var command: String {
    let text = RootFiles.text(of: "/proc/\(pid)/comm", limit: 64) ?? ""
    return String(text.prefix { $0 != "\n" })
  }

  /// Opens a process descriptor for this process; nil when it has ended.
  ///
  /// The identity is compared after opening: from then on, the descriptor cannot refer to another
  /// process.
  package func open() -> Descriptor? {
    guard let descriptor = Descriptor(process_open(pid)), ProcessIdentity(of: pid) == self else {
      return nil
    }
    return descriptor
  }

  /// Returns the running processes of the session that this process leads or led.
  package func session() -> [ProcessIdentity] {
    guard boot == Self.currentBoot else { return [] }
    if let leader = ProcessRecord(of: pid), leader.started != started { return [] }
    return RootFiles.names(in: "/proc").compactMap { name in
      guard let number = Int32(name), let record = ProcessRecord(of: number),
        record.session == pid, record.started >= started
      else { return nil }
      return ProcessIdentity(of: number)
    }
  }
}

/// The fields of `/proc/PID/stat` that this program uses (proc_pid_stat(5)).
package struct ProcessRecord {
  /// The state, one letter: `Z` for a zombie, `X` for a dead process.
  package var state: Substring
  /// The number of the parent process.
  package var parent: Int32
  /// The session id.
  package var session: Int32
  /// Clock ticks from boot to the start.
  package var started: UInt64

  /// Reads the record of a process; nil when there is none.
  package init?(of pid: Int32) {
    // The program's name in parentheses may contain any character, so the fields are counted from
    // the last parenthesis.
    guard pid > 0, let text = RootFiles.text(of: "/proc/\(pid)/stat", limit: 4096),
      let close = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: close)...].split(separator: " ")
    guard fields.count > 19, let parent = Int32(fields[1]),
      let session = Int32(fields[3]), let started = UInt64(fields[19])
    else {
      return nil
    }
    self.state = fields[0]
    self.parent = parent
    self.session = session
    self.started = started
  }
}
