internal import Glibc
internal import InstallJobs
package import JobJournal

/// The machine's own log, where acts stand besides the journal: who can write the journal cannot
/// take them back from there.
///
/// Spoken to at its socket: a datagram a record, as syslog(3) sends them. Where nobody listens or
/// the log is behind, a record is left out: the journal has it, and no act waits for a log.
package struct SystemLog: Sendable {
  private let path: String

  /// - Parameter path: The socket of the log.
  package init(path: String = "/dev/log") { self.path = path }

  /// Sends one record: of an act for information, of a refusal or failure as a notice, both under
  /// the facility for security and authorisation.
  package func tell(_ entry: AuditEntry) {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    guard name.count < 108 else { return }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let text = Array(Self.record(of: entry, at: Self.localTime()).utf8)
    _ = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(
          descriptor, text, text.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address,
          socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// The record of an entry, as RFC 3164 has it: one line of printable ASCII.
  static func record(of entry: AuditEntry, at time: String) -> String {
    // LOG_AUTHPRIV with LOG_INFO or LOG_NOTICE.
    let priority = 10 << 3 | (entry.outcome == AuditEntry.permitted ? 6 : 5)
    var fields = [
      "act=\(plain(entry.act))", "outcome=\(plain(entry.outcome))",
      "uid=\(entry.requester.uid)", "user=\(plain(entry.requester.user))",
    ]
    if let job = entry.job { fields.append("job=\(job)") }
    if let pid = entry.pid { fields.append("pid=\(pid)") }
    if let command = entry.command { fields.append("command=\(plain(command))") }
    return "<\(priority)>\(time) fettled[\(getpid())]: " + fields.joined(separator: " ")
  }

  /// A value that is no more than one field, whatever it holds.
  private static func plain(_ text: String) -> String {
    var plain = "\""
    for scalar in text.unicodeScalars.prefix(100) {
      let isPlain = (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\"
      plain.unicodeScalars.append(isPlain ? scalar : "?")
    }
    return plain + "\""
  }

  private static func localTime() -> String {
    var now = time(nil)
    var parts = unsafe tm()
    unsafe localtime_r(&now, &parts)
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int32, _ pad: String = "0") -> String {
      (number < 10 ? pad : "") + String(number)
    }
    let month = unsafe months[Int(parts.tm_mon) % 12]
    return unsafe "\(month) \(two(parts.tm_mday, " ")) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }
}
