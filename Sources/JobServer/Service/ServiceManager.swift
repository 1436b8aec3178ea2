internal import Glibc

/// The service manager that has started this process and wants to hear of it (sd_notify(3)).
///
/// Spoken to at its socket, a datagram a message; what is not taken at once is left out.
package struct ServiceManager: Sendable {
  /// How often the manager must hear of the process, or it ends it; nil where it does not watch.
  package let watchdogInterval: Duration?
  private let address: [UInt8]

  /// The variables by which a manager says how it is reached.
  package static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

  /// Nil where nobody wants to hear.
  ///
  /// - Parameters:
  ///   - variables: The environment.
  ///   - pid: This process.
  package init?(variables: [String: String], pid: Int32 = getpid()) {
    guard let path = variables["NOTIFY_SOCKET"], ["/", "@"].contains(path.prefix(1)) else {
      return nil
    }
    var address = Array(path.utf8)
    guard address.count > 1, address.count < 108 else { return nil }
    // An abstract name begins with a zero.
    if address[0] == UInt8(ascii: "@") { address[0] = 0 }
    self.address = address
    let isMeant = variables["WATCHDOG_PID"].map { Int32($0) == pid } ?? true
    let interval = variables["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdogInterval = isMeant && interval > 0 ? .microseconds(interval) : nil
  }

  /// Takes the manager of this process out of the environment, so that no program that is started
  /// speaks in its name.
  ///
  /// To be called before there are threads that read the environment.
  package static func fromEnvironment() -> ServiceManager? {
    var found: [String: String] = [:]
    for name in variables {
      guard let value = unsafe getenv(name) else { continue }
      found[name] = unsafe String(cString: value)
      unsafe unsetenv(name)
    }
    return ServiceManager(variables: found)
  }

  /// Says that the process serves.
  package func notifyReady() { send("READY=1") }
  /// Says that the process is about to end.
  package func notifyStopping() { send("STOPPING=1") }
  /// Says that the process is alive.
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
