import CProcess
import Glibc

/// What tells a process from every other that was or will be: its number alone is used again.
package struct ProcessIdentity: Sendable, Hashable, Codable {
  package var boot: String
  package var pid: Int32
  /// Clock ticks from boot to its start (`starttime` in proc(5)).
  package var started: UInt64

  /// The process with this number, or nil when there is none; zombies count as none.
  package init?(of pid: Int32) {
    guard let record = ProcessRecord(of: pid), record.state != "Z", record.state != "X" else {
      return nil
    }
    self.init(boot: Self.currentBoot, pid: pid, started: record.started)
  }

  package init(boot: String, pid: Int32, started: UInt64) {
    self.boot = boot
    self.pid = pid
    self.started = started
  }

  /// Names the present boot of the machine.
  package static var currentBoot: String {
    let text = RootFiles.text(of: "/proc/sys/kernel/random/boot_id", limit: 64) ?? ""
    return String(text.prefix { $0 != "\n" })
  }

  /// The name of the program it runs, at most 15 bytes.
  package var command: String {
    let text = RootFiles.text(of: "/proc/\(pid)/comm", limit: 64) ?? ""
    return String(text.prefix { $0 != "\n" })
  }

  /// Opens a descriptor for exactly this process; nil when it is gone.
  ///
  /// The identity is compared after the descriptor was opened: from then on the number cannot come
  /// to mean another process.
  package func open() -> Descriptor? {
    guard let descriptor = Descriptor(process_open(pid)), ProcessIdentity(of: pid) == self else {
      return nil
    }
    return descriptor
  }

  /// The live processes of the session that this process leads or led.
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

/// The fields of `/proc/PID/stat` that are used here.
package struct ProcessRecord {
  package var state: Substring
  package var parent: Int32
  package var session: Int32
  package var started: UInt64

  package init?(of pid: Int32) {
    // The name in parentheses may hold anything, so the fields are counted from the last one.
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

/// An open file descriptor that closes with its last owner.
package final class Descriptor: Sendable {
  package let number: Int32

  /// Takes over a descriptor; nil for a negative one.
  package init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }
}
