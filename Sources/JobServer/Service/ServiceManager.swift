internal import Glibc

/// The service manager that started this process and receives its notifications (sd_notify(3)).
///
/// Each message is a datagram to the manager's socket. A message that cannot be sent at once is
/// dropped.
package struct ServiceManager: Sendable {
  /// Largest time between two watchdog notifications; the manager kills the process after it.
  ///
  /// Nil without a watchdog.
  package let watchdogInterval: Duration?
  private let address: [UInt8]

  /// The environment variables with the address of the manager and its watchdog.
  package static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

  /// Nil if `NOTIFY_SOCKET` does not name a usable socket.
  ///
  /// - Parameters:
  ///   - variables: The environment.
  ///   - pid: The id of this process.
  package init?(variables: [String: String], pid: Int32 = getpid()) {
    guard let path = variables["NOTIFY_SOCKET"], ["/", "@"].contains(path.prefix(1)) else {
      return nil
    }
    var address = Array(path.utf8)
    guard address.count > 1, address.count < 108 else { return nil }
    // The name of an abstract socket begins with a zero byte.
    if address[0] == UInt8(ascii: "@") { address[0] = 0 }
    self.address = address
    let isMeant = variables["WATCHDOG_PID"].map { Int32($0) == pid } ?? true
    let interval = variables["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdogInterval = isMeant && interval > 0 ? .microseconds(interval) : nil
  }

  /// Reads the manager of this process from the environment and removes the variables, so that no
  /// child process sends notifications in its name.
  ///
  /// Call this before the process starts threads that read the environment.
  package static func fromEnvironment() -> ServiceManager? {
    var found: [String: String] = [:]
    for name in variables {
      guard let value = unsafe getenv(name) else { continue }
      found[name] = unsafe String(cString: value)
      unsafe unsetenv(name)
    }
    return ServiceManager(variables: found)
  }

  /// Notifies the manager that the process serves clients.
  package func notifyReady() { send("READY=1") }
  /// Notifies the manager that the process is about to end.
  package func notifyStopping() { send("STOPPING=1") }
  /// Notifies the manager that the process is alive.
  func notifyWatchdog() { send("WATCHDOG=1") }

  private func send(_ message: String) {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: address) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
    let text = Array(message.utf8)
    _ = unsafe withUnsafePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), address, length)
      }
    }
  }
}
