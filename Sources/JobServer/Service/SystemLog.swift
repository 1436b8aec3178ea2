internal import Glibc
package import InstallJobs
package import JobJournal

/// The system log (syslog), a second record of acts besides the journal.
///
/// A user who can write the journal cannot delete records there. Each record is a datagram to the
/// log's socket, as syslog(3) sends it. If the log is absent or busy, the record is dropped: the
/// journal has it, and no act waits for a log.
package struct SystemLog: Sendable {
  private let path: String

  /// - Parameter path: The socket of the log.
  package init(path: String = "/dev/log") { self.path = path }

  /// Sends an audit entry under the facility for security and authorisation: permitted acts with
  /// level "info", refusals and failures with level "notice".
  package func publish(_ entry: AuditEntry) {
    send(Self.record(of: entry, at: Self.localTime()))
  }

  /// Sends the result of an ended job under the facility for services: with level "info" if the job
  /// succeeded, otherwise "notice".
  package func report(_ job: JobSnapshot) {
    send(Self.record(of: job, at: Self.localTime()))
  }

  private func send(_ record: String) {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    guard name.count < 108 else { return }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let text = Array(record.utf8)
    _ = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(
          descriptor, text, text.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address,
          socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// The record of an audit entry in the format of RFC 3164: one line of printable ASCII.
  static func record(of entry: AuditEntry, at time: String) -> String {
    // LOG_AUTHPRIV with LOG_INFO or LOG_NOTICE.
    let priority = 10 << 3 | (entry.outcome == AuditEntry.permitted ? 6 : 5)
    var fields = [
      "act=\(plain(entry.act))", "outcome=\(plain(entry.outcome))",
      "uid=\(entry.requester.uid)", "user=\(plain(entry.requester.user))",
    ]
    if let job = entry.job { fields.append("job=\(job)") }
    if let subject = entry.subject {
      if let operation = subject.operation {
        fields.append("operation=\(plain(operation.rawValue))")
      }
      if subject.downloadOnly ?? false { fields.append("downloadOnly=yes") }
      if subject.packageCount > 0 {
        let names = subject.packages.prefix(8).joined(separator: " ")
        fields.append("packages=\(subject.packageCount) names=\(plain(names))")
      }
    }
    if entry.count > 1 { fields.append("count=\(entry.count)") }
    if let pid = entry.pid { fields.append("pid=\(pid)") }
    if let command = entry.command { fields.append("command=\(plain(command))") }
    return "<\(priority)>\(time) fettled[\(getpid())]: " + fields.joined(separator: " ")
  }

  /// The record of an ended job in the same format: its requester, and the number of packages by
  /// result.
  static func record(of job: JobSnapshot, at time: String) -> String {
    let results = (job.plan ?? job.updates).map(\.resultCode)
    func count(_ code: OperationResultCode) -> Int { results.count { $0 == code } }
    // LOG_DAEMON with LOG_INFO or LOG_NOTICE.
    let priority = 3 << 3 | (job.resultCode == .succeeded ? 6 : 5)
    var fields = [
      "job=\(job.id)", "operation=\(plain(job.operation.rawValue))",
      "state=\(plain(job.state.rawValue))", "result=\(plain("\(job.resultCode)"))",
      "uid=\(job.requestedBy.uid)", "user=\(plain(job.requestedBy.user))",
      "packages=\(results.count)", "succeeded=\(count(.succeeded))", "failed=\(count(.failed))",
      "aborted=\(count(.aborted))", "notStarted=\(count(.notStarted))",
    ]
    if job.options.isDownloadOnly { fields.insert("downloadOnly=yes", at: 2) }
    if let error = job.error { fields.append("error=\(plain(error.code.rawValue))") }
    return "<\(priority)>\(time) fettled[\(getpid())]: " + fields.joined(separator: " ")
  }

  /// The value as one quoted field of at most 100 characters; characters outside printable ASCII,
  /// quotes and backslashes become `?`.
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
