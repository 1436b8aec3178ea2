internal import Glibc

/// TCP on the machine's own loopback interface.
enum Loopback: Sendable {
  /// Listens on a port that the kernel chooses.
  ///
  /// - Returns: The listening descriptor, closed on exec, and its port.
  /// - Throws: ``CannotMeasure`` when the loopback has no port left.
  static func listen() throws(CannotMeasure) -> (descriptor: Int32, port: UInt16) {
    let descriptor = stream()
    var (address, length) = address(0)
    let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, 16) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isListening else {
      close(descriptor)
      throw CannotMeasure("cannot listen on the loopback")
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// A port on which nobody listens at this moment.
  ///
  /// - Throws: ``CannotMeasure`` when there is none.
  static func unusedPort() throws(CannotMeasure) -> UInt16 {
    let (descriptor, port) = try listen()
    close(descriptor)
    return port
  }

  /// Whether somebody listens on a port.
  static func isListening(_ port: UInt16) -> Bool {
    let descriptor = stream()
    defer { close(descriptor) }
    var (address, length) = address(port)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, length) == 0
      }
    }
  }

  private static func stream() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  private static func address(_ port: UInt16) -> (sockaddr_in, socklen_t) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return (address, socklen_t(MemoryLayout<sockaddr_in>.size))
  }
}
